// RV-21: who shares a GPU for throughput batches first. A server that takes one request at a time
// leaves the GPU idle between its steps, and no split makes up for that (The GPU Utilization
// Problem: Model Batching).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Takes turns with others on one GPU.
bool takes_turns(const Deployment& deployment, const PodRequest& pod) {
  const bool is_software = std::ranges::any_of(pod.gpus, [](const GpuAsk& ask) {
    return ask.kind == GrantKind::PluginShare || ask.kind == GrantKind::Hami ||
           ask.kind == GrantKind::Kai || ask.kind == GrantKind::Volcano;
  });
  if (is_software || pod.gpus.empty() || !deployment.sizings) return is_software;
  const Sizing& sizing = deployment.sizing(pod);
  return !sizing.gpus.empty() && sizing.gpus.front().profile != nullptr &&
         sizing.gpus.front().profile->technology == domain::Technology::TimeSliced;
}

}  // namespace

void rv_21(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto most = whole_of(call, "maxNumSeqs");
    if (!most || *most != 1 || !takes_turns(deployment, pod)) return;
    report.add(*pod.document, call.find("maxNumSeqs")->value_position,
               {.message = fmt::format("{} shares its GPU and answers one request at a time",
                                       pod.title())});
  });
}

}  // namespace gpushape::review::rules_of
