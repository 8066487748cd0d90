// MF-11: the engine's own memory settings agree with each other and with its share. vLLM takes its
// utilization of the whole visible GPU, whatever a scheduler has booked
// (https://github.com/vllm-project/vllm/issues/20305,
// https://github.com/vllm-project/vllm/issues/37982).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr double kRounding = 1e-6;

void check_repeats(const PodRequest& pod, const EngineCall& call, Report& report) {
  std::map<std::string_view, const EngineSetting*> seen;
  for (const EngineSetting& row : call.settings) {
    // Adapters and the two cache types of llama.cpp share a setting.
    if (row.setting.empty() || row.setting == "kvCacheType") continue;
    const auto [first, is_new] = seen.emplace(row.setting, &row);
    if (is_new || first->second->value == row.value) continue;
    report.add(
        *pod.document, row.position,
        {.message = fmt::format("{} sets {} twice, to {} and to {}: the last one counts",
                                pod.title(), row.flag.empty() ? first->second->flag : row.flag,
                                first->second->value, row.value),
         .fix = "keep one of them",
         .severity = domain::Severity::Warning});
  }
}

void check_pool(const PodRequest& pod, const EngineCall& call, Report& report) {
  const EngineSetting* pool = call.find("kvCacheBytes");
  const EngineSetting* share = call.find("utilization");
  if (pool == nullptr || share == nullptr || call.engine != "vllm") return;
  report.add(
      *pod.document, share->position,
      {.message = fmt::format("{} is ignored beside {}, which gives the pool itself", share->flag,
                              pool->flag),
       .fix = fmt::format("remove {}", share->flag),
       .severity = domain::Severity::Warning,
       .edits = remove_item(*pod.document, share->position, share->flag + "=" + share->value)});
}

/// A fraction that is bookkeeping: the process sees all of the GPU.
void check_booked_share(const PodRequest& pod, const Container& container, const EngineCall& call,
                        Report& report) {
  if (call.engine != "vllm" || call.find("kvCacheBytes") != nullptr) return;
  for (const GpuAsk& ask : pod.gpus) {
    if (ask.container != nullptr && ask.container != &container) continue;
    if (ask.kind != GrantKind::Kai || !ask.fraction) continue;
    const EngineSetting* row = call.find("utilization");
    const double wanted = real_of(call, "utilization").value_or(0.9);  // vLLM's default at least
    if (wanted <= *ask.fraction + kRounding) continue;
    report.add(*pod.document,
               row != nullptr        ? row->value_position
               : ask.node != nullptr ? ask.node->position()
                                     : pod.place().position(),
               {.message = fmt::format("{} takes {:g} of the GPU{} and has {:g} of it booked: the "
                                       "engine sees the whole device",
                                       pod.title(), wanted, row == nullptr ? " by default" : "",
                                       *ask.fraction),
                .fix = fmt::format("set --gpu-memory-utilization to {:g} or less", *ask.fraction)});
  }
}

/// Engines of one pod on one GPU: through one claim that both use.
void check_neighbours(const PodRequest& pod, Report& report) {
  std::map<std::string, std::vector<const Container*>> by_claim;
  for (const Container& container : pod.containers) {
    if (!container.engine || container.engine->engine != "vllm") continue;
    for (const ClaimUse& use : container.claims) {
      by_claim[use.claim + "/" + use.request].push_back(&container);
    }
  }
  for (const auto& [claim, engines] : by_claim) {
    if (engines.size() < 2) continue;
    double sum = 0;
    for (const Container* container : engines) {
      sum += real_of(*container->engine, "utilization").value_or(0.9);
    }
    if (sum <= 1 + kRounding) continue;
    report.add(
        *pod.document, engines.back()->engine->position,
        {.message = fmt::format("{} engines of {} share one GPU and take {:g} of it together",
                                engines.size(), pod.title(), sum),
         .fix = "set --gpu-memory-utilization so that they stay below 1 together"});
  }
}

}  // namespace

void mf_11(const Deployment& deployment, Report& report) {
  each_engine(deployment,
              [&](const PodRequest& pod, const Container& container, const EngineCall& call) {
                check_repeats(pod, call, report);
                check_pool(pod, call, report);
                check_booked_share(pod, container, call, report);
              });
  for (const PodRequest& pod : deployment.pods) check_neighbours(pod, report);
}

}  // namespace gpushape::review::rules_of
