// RV-23: mixtures of experts and agents are sized for their peak. Experts are taken in spikes
// before the first token, and sessions that resume bring all of their history (F. Denneman,
// Understanding AI Memory, parts 2 and 3). A mean alone says nothing of either.
#include <fmt/format.h>

#include "advise/facts.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// A plain number stands for every request alike; only a mean is stated.
bool is_mean_alone(const std::optional<domain::Fact<domain::TokenFigures>>& figures) {
  return figures && figures->value.mean && figures->value.deviation.value_or(0) == 0 &&
         figures->value.percentiles.empty();
}

/// "a mixture of experts", "a service with durable sessions"; empty for neither.
std::string spiky_words(const ReviewRequest& request, const domain::Workload& workload) {
  if (workload.session.value == domain::Session::Durable) return "a service of durable sessions";
  if (workload.mixture_of_experts.value) return "a mixture of experts";
  if (request.catalog == nullptr || !workload.model) return {};
  const auto model = request.catalog->find(workload.model->value);
  return model && domain::has_experts(*model) ? "a mixture of experts" : std::string();
}

}  // namespace

void rv_23(const Deployment& deployment, Report& report) {
  for (const StatedWorkload& stated : deployment.workloads) {
    const domain::Workload& workload = stated.workload;
    const domain::Traffic& traffic = workload.traffic;
    const bool is_demand_alone = workload.demand && workload.demand->dynamic_p50_bytes &&
                                 !workload.demand->dynamic_p99_bytes &&
                                 !workload.demand->ceiling_bytes;
    const bool is_mean = !traffic.trace_file && (is_mean_alone(traffic.input_tokens) ||
                                                 is_mean_alone(traffic.output_tokens));
    if (!is_mean && !is_demand_alone) continue;
    const std::string what = spiky_words(*deployment.request, workload);
    if (what.empty()) continue;
    const document::Node* place = nullptr;
    for (const std::string_view field : {"inputTokens", "outputTokens", "demand"}) {
      if (place == nullptr) place = stated.root->find(field);
    }
    report.add(
        *stated.document, place != nullptr ? *place : *stated.root,
        {.message = fmt::format("{} is sized from {}", what,
                                is_mean ? "mean lengths alone" : "its median demand alone")});
  }
}

}  // namespace gpushape::review::rules_of
