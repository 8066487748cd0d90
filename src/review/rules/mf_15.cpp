// MF-15: a liveness probe leaves the model time to load. Without a startup probe it counts from the
// start of the container and kills what is still loading, again and again
// (https://github.com/kserve/kserve/issues/5062,
// https://github.com/vllm-project/aibrix/issues/772).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Ours: compiling and capturing graphs take an engine about a minute before it answers, whatever
/// the model (start-up logs of vLLM 0.6 to 0.19: 40 to 120 s).
constexpr double kStartSeconds = 60;
/// Ours: weights from a network volume or a cold page cache.
constexpr double kLoadBytesPerSecond = 1e9;

double load_seconds(const Deployment& deployment, const PodRequest& pod) {
  if (!deployment.sizings) return kStartSeconds;
  const Sizing& sizing = deployment.sizing(pod);
  if (!sizing.estimate) return kStartSeconds;
  for (const domain::Term& term : sizing.estimate->terms) {
    if (term.name != "weights") continue;
    const double ranks = std::max(1.0, sizing.gpu_count);
    const auto bytes = static_cast<double>(term.bytes.expected.count()) * ranks;
    return kStartSeconds + bytes / kLoadBytesPerSecond;
  }
  return kStartSeconds;
}

}  // namespace

void mf_15(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container& container,
                              const EngineCall& call) {
    if (call.runs_llama_cpp()) return;  // maps its file, and is up at once
    if (call.engine == "triton" || call.engine == "nim") return;  // not known what they load
    const bool has_startup = container.startup.has_value();
    const auto& probe = has_startup ? container.startup : container.liveness;
    if (!probe || probe->node == nullptr) return;
    const double need = load_seconds(deployment, pod);
    if (probe->patience() >= need) return;
    report.add(*pod.document, *probe->node,
               {.message = fmt::format("the {} probe of {} gives up after {:.0f} s, and {} needs "
                                       "about {:.0f} s to load",
                                       has_startup ? "startup" : "liveness", pod.title(),
                                       probe->patience(), call.engine, need),
                .fix = fmt::format("add a startupProbe with periodSeconds: 10 and "
                                   "failureThreshold: {:.0f}",
                                   std::ceil(2 * need / 10))});
  });
}

}  // namespace gpushape::review::rules_of
