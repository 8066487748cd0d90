// RV-01: a whole GPU is held for what needs one. Telemetry tells how busy it is; what an embedding
// model or a classifier needs is known without (consumption rules RV-01, CM-10, EV-03; The GPU
// Utilization Problem: 10 GB and a fifth of the compute on a GPU of 80 GB).
#include <fmt/format.h>

#include <algorithm>

#include "advise/facts.hpp"
#include "domain/profile_memory.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/measured.hpp"
#include "review/rules/support.hpp"
#include "review/rules/whole_gpu.hpp"

namespace gpushape::review::rules_of {

namespace {

/// What an engine needs is worked out, because it takes all it is given; of anything else what it
/// was seen to hold counts.
std::optional<Bytes> need_of_pod(const Sizing& sizing, const std::optional<MeasuredUse>& use) {
  if (sizing.container != nullptr) {
    return sizing.estimate ? std::optional(sizing.estimate->total_bytes.high) : std::nullopt;
  }
  return use ? use->most_bytes : std::nullopt;
}

/// What somebody says it is for; of what nobody says anything of, models that embed and rank. A
/// checkpoint that sees may answer questions of any length.
bool is_small_by_nature(const PodRequest& pod, const Sizing& sizing) {
  if (const NamedText* row = pod.annotation("gpushape.dev/role")) {
    const auto role = value_of<domain::Role>(row->value);
    return role && advise::has_small_footprint(*role);
  }
  return sizing.model &&
         (sizing.model->role == domain::Role::Embed || sizing.model->role == domain::Role::Rerank);
}

}  // namespace

void rv_01(const Deployment& deployment, Report& report) {
  const advise::Thresholds& limits = deployment.request->thresholds;
  for (const PodRequest& pod : deployment.pods) {
    const domain::Device* device = whole_gpu_of(deployment, pod);
    if (device == nullptr || pod.gpu_count() != 1) continue;
    const Sizing& sizing = deployment.sizing(pod);
    const auto use = measured_use(deployment, pod);
    const auto need = need_of_pod(sizing, use);
    const domain::Profile* part = need ? instance_for(*device, *need) : nullptr;
    if (part == nullptr) continue;
    const bool is_idle = use && use->compute && *use->compute <= limits.idle_compute.value;
    if (!is_idle && (use || !is_small_by_nature(pod, sizing))) continue;
    const Bytes idle = domain::usable_bytes(*device, nullptr) - *need;
    const std::string busy =
        use ? fmt::format(", computing {:.0f} % of {}", *use->compute * 100, days_text(use->days))
            : std::string();
    const bool is_short = use && use->days < limits.idle_days.value;
    report.add(
        *pod.document, place_of_gpus(pod),
        {.message = fmt::format(
             "{} holds a whole {} and {} {:.1f} GiB of it{}: {:.1f} GiB lie idle", pod.title(),
             device->id, sizing.container != nullptr ? "needs" : "was seen to hold", need->gib(),
             busy, idle.gib()),
         .fix = fmt::format(
             "take a part of it: {} holds the need{}", part->short_name,
             is_short ? fmt::format("; measure for {:g} days before", limits.idle_days.value)
                      : std::string()),
         .severity = is_short ? std::optional(domain::Severity::Note) : std::nullopt});
  }
}

}  // namespace gpushape::review::rules_of
