// ME-05: the utilization leaves room for what stands outside it: the CUDA context, communicators,
// and graphs where the version does not count them. vLLM: "Free memory on device ... is less than
// desired GPU memory utilization" (https://github.com/vllm-project/vllm/issues/20305). With less
// than the context it refuses to start. With less than the rest it lives on what activations leave
// while batches are small, and runs out of memory at the peak that it profiled: a warning, where
// not even the low end has room.
#include <fmt/format.h>

#include <algorithm>
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

std::string gib_of(Bytes bytes) { return gib_text(static_cast<double>(bytes.count())); }

/// The largest share, in hundredths, that leaves this much.
std::string lower_to(const domain::Capacity& capacity, Bytes needed) {
  const auto visible = static_cast<double>(capacity.visible_bytes.expected.count());
  const double most = 1 - (static_cast<double>(needed.count()) / visible);
  return fmt::format("set it to {:.2f} or less", std::floor(most * 100) / 100);
}

}  // namespace

void me_05(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const domain::Capacity& capacity = *sized.capacity;
    if (sized.call->engine != "vllm" || sized.call->find("utilization") == nullptr ||
        sized.call->find("kvCacheBytes") != nullptr || !capacity.beside_share) {
      return;
    }
    const domain::Range& needed = capacity.beside_share->needed_bytes;
    const Bytes left = std::max(capacity.beside_share->left_bytes.expected, Bytes(0));
    const Bytes context = context_bytes(*sized.estimate);
    const std::string leaves = fmt::format("utilization {:g} leaves {} of {}", capacity.utilization,
                                           gib_of(left), sized.gpu());
    if (left < context) {
      report.add(*sized.pod->document, sized.place("utilization"),
                 {.message = fmt::format("{}, and the CUDA context alone takes {}", leaves,
                                         gib_of(context)),
                  .fix = lower_to(capacity, std::max(context, needed.expected))});
    } else if (left < needed.low) {
      report.add(*sized.pod->document, sized.place("utilization"),
                 {.message = fmt::format("{}, and the CUDA context and what else this version does "
                                         "not count in it take {} or more",
                                         leaves, gib_of(needed.low)),
                  .fix = lower_to(capacity, needed.expected),
                  .severity = domain::Severity::Warning});
    }
  });
}

}  // namespace gpushape::review::rules_of
