// MG-05: more sessions are more replicas, not larger groups. A group makes the bin larger, replicas
// make more bins, and each of them can fail, restart and be placed by itself (F. Denneman,
// Understanding AI Memory, part 3: Designing for durable sessions). It speaks where the smaller
// shape fits at the high end of its range, and its replicas hold at their low end what is wanted.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"
#include "review/rules/tensor_groups.hpp"

namespace gpushape::review::rules_of {

namespace {

struct SmallerShape {
  std::int64_t gpus = 0;
  std::int64_t replicas = 0;
  domain::Capacity capacity;
};

/// The smallest shape of which as many as the GPUs give hold what is wanted.
std::optional<SmallerShape> smaller_shape(const TensorGroup& group, std::int64_t wanted) {
  for (std::int64_t gpus = 1; gpus < group.gpus; gpus *= 2) {
    if (group.gpus % gpus != 0 || !group.could_be(gpus)) continue;
    const std::int64_t replicas = group.gpus / gpus;
    const std::int64_t part = (wanted + replicas - 1) / replicas;
    const auto estimate = estimate_with(*group.sizing, group.on(gpus, part));
    if (!estimate || !estimate->capacity || !estimate->capacity->fits) continue;
    if (least_sequences(*estimate->capacity) * replicas < wanted) continue;
    return SmallerShape{gpus, replicas, *estimate->capacity};
  }
  return std::nullopt;
}

bool wants_speed(const SizedPod& sized) {
  const NamedText* note = sized.pod->annotation("gpushape.dev/latency-slo");
  if (note != nullptr) return note->value == "strict";
  return sized.sizing->workload.latency_slo.value == domain::LatencySlo::Strict;
}

std::string pool_text(const domain::Capacity& capacity) {
  return gib_text(static_cast<double>(capacity.kv_pool_bytes.expected.count()));
}

}  // namespace

void mg_05(const Deployment& deployment, Report& report) {
  each_sized(deployment, [&](const SizedPod& sized) {
    const auto& context = sized.sizing->workload.context_tokens;
    if (!context || context->origin == domain::Origin::Default || wants_speed(sized)) return;
    const auto group = tensor_group(sized);
    const std::int64_t held = sequences_held(*sized.capacity);
    if (!group || held < 1) return;
    const auto smaller = smaller_shape(*group, group->wanted.value_or(held));
    if (!smaller) return;
    report.add(
        *sized.pod->document, sized.place("tensor"),
        {.message = fmt::format(
             "{} spreads one copy of {} over {} x {}, and {} hold{} one: {} replicas have a pool "
             "of {} on each GPU and hold {} sequences of {} tokens, the group {} and {}",
             sized.pod->title(), sized.sizing->model->id, group->gpus, sized.gpu(), smaller->gpus,
             smaller->gpus == 1 ? "s" : "", smaller->replicas, pool_text(smaller->capacity),
             smaller->replicas * sequences_held(smaller->capacity), context->value,
             pool_text(*sized.capacity), held),
         .fix = fmt::format("run {} replicas of {} GPU{}; keep the group where one answer has to "
                            "come faster than that (gpushape.dev/latency-slo: strict)",
                            smaller->replicas, smaller->gpus, smaller->gpus == 1 ? "" : "s")});
  });
}

}  // namespace gpushape::review::rules_of
