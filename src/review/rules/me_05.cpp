// ME-05: the utilization leaves room for what stands outside it: the CUDA context, and graphs where
// the version does not count them. vLLM: "Free memory on device ... is less than desired GPU memory
// utilization" (https://github.com/vllm-project/vllm/issues/20305).
#include <fmt/format.h>

#include <cmath>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// What the process holds before it counts what is free: the CUDA context at the low end. Libraries
/// that it loads later count inside its share.
Bytes context_bytes(const domain::Estimate& estimate) {
  for (const domain::Term& term : estimate.terms) {
    if (term.name == "cudaContext") return term.bytes.low;
  }
  return domain::part_bytes(estimate, domain::Part::Context).low;
}

}  // namespace

void me_05(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    if (sized.call->engine != "vllm" || sized.call->find("utilization") == nullptr ||
        sized.call->find("kvCacheBytes") != nullptr) {
      return;
    }
    const domain::Capacity& capacity = *sized.capacity;
    const auto visible = static_cast<double>(capacity.visible_bytes.expected.count());
    const auto context = static_cast<double>(context_bytes(*sized.estimate).count());
    const double left = visible * (1 - capacity.utilization);
    if (context <= 0 || left >= context) return;
    report.add(*sized.pod->document, sized.place("utilization"),
               {.message = fmt::format(
                    "utilization {:g} leaves {} of {}, and the CUDA context alone "
                    "takes {}",
                    capacity.utilization, gib_text(left), sized.gpu(), gib_text(context)),
                .fix = fmt::format("set it to {:.2f} or less",
                                   std::floor((1 - context / visible) * 100) / 100)});
  });
}

}  // namespace gpushape::review::rules_of
