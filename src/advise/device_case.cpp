#include "advise/device_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "advise/groups.hpp"
#include "advise/precision.hpp"
#include "advise/software_shares.hpp"
#include "advise/words.hpp"
#include "domain/profile_memory.hpp"

namespace gpushape::advise {

using domain::FitsAt;
using domain::Part;

namespace {

void find_largest_fraction(DeviceCase& device_case) {
  Facts& facts = device_case.facts;
  const FractionMode mode = preferred_mode(device_case);
  const Fired* refusal = nullptr;
  for (const Candidate& fraction : device_case.fractions) {
    if (const Fired* refuses = refusing_mode_rule(device_case, fraction)) {
      refusal = refuses;
      continue;
    }
    if (facts.largest_fraction.empty() && mode_of(fraction.shape) == mode) {
      facts.largest_fraction = fraction.shape.profile_short;
      facts.largest_fraction_bytes = fraction.shape.memory_bytes;
    }
  }
  if (!facts.largest_fraction.empty()) return;
  facts.why_no_fraction = refusal != nullptr
                              ? fmt::format("{} has no fraction for it: {} ({})", facts.device,
                                            refusal->verdict.says, refusal->id)
                              : fmt::format("{} has no profile that leaves it shareable on {}",
                                            facts.device, name_of(facts.platform));
}

/// The smallest usable size of a mode that holds the need.
std::optional<Bytes> smallest_holding(const DeviceCase& device_case, FractionMode mode) {
  std::optional<Bytes> smallest;
  if (!device_case.facts.need_bytes) return smallest;
  for (const Candidate& fraction : device_case.fractions) {
    const Bytes usable = fraction.shape.memory_bytes;
    if (!fraction.nests || mode_of(fraction.shape) != mode) continue;
    if (usable < *device_case.facts.need_bytes) continue;
    smallest = std::min(smallest.value_or(usable), usable);
  }
  return smallest;
}

void take_need(Facts& facts, const Need& need) {
  facts.static_bytes = need.static_bytes;
  facts.dynamic_bytes = need.dynamic_bytes;
  facts.dynamic_is_ceiling = need.dynamic_is_ceiling;
  facts.ceiling_bytes = need.ceiling_bytes;
  facts.need_bytes = need.need_bytes;
}

/// Where neither a vGPU nor a MIG instance is to be had, or one is asked for.
bool wants_software_shares(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (has_hypervisor(facts.platform) || device_case.request.profile) return false;
  return device_case.fractions.empty() || !facts.image_supports_mig ||
         (facts.asked_technology && is_software_share(*facts.asked_technology));
}

}  // namespace

Bytes known_need(const Need& need) { return need.need_bytes.value_or(need.static_bytes); }

domain::VisibleMemory memory_of(const Wish& wish, const Candidate& candidate) {
  domain::VisibleMemory memory = domain::visible_memory(wish.device, candidate.profile);
  if (!is_software_share(candidate.shape.technology)) return memory;
  memory.profile = candidate.shape.profile_short;
  memory.bytes = domain::exactly(candidate.shape.memory_bytes);
  memory.source = "the limit of the share";
  return memory;
}

const Fired* refusing_mode_rule(const DeviceCase& device_case, const Candidate& fraction) {
  // MD-03 prefers a mode, the others refuse the other one. MIG instances outside a vGPU are the
  // only fraction of their platform; what asks for MIG cannot refuse them.
  const FractionMode mode = mode_of(fraction.shape);
  for (const Fired& fired : device_case.mode_rules) {
    if (fired.id != "MD-03" && fired.verdict.mode != mode) return &fired;
  }
  return nullptr;
}

FractionMode preferred_mode(const DeviceCase& device_case) {
  const std::optional<domain::Technology>& asked = device_case.facts.asked_technology;
  FractionMode mode = FractionMode::TimeSliced;
  if (!device_case.mode_rules.empty()) {
    mode = *device_case.mode_rules.front().verdict.mode;
  } else if (asked == domain::Technology::Mig || asked == domain::Technology::MigBackedVgpu ||
             asked == domain::Technology::Partition) {
    mode = FractionMode::Mig;
  }
  const bool is_there = std::ranges::any_of(device_case.fractions, [&](const Candidate& fraction) {
    return mode_of(fraction.shape) == mode && refusing_mode_rule(device_case, fraction) == nullptr;
  });
  if (is_there) return mode;
  return mode == FractionMode::Mig ? FractionMode::TimeSliced : FractionMode::Mig;
}

const Fired* deciding_rule(const DeviceCase& device_case) {
  for (const Fired& fired : device_case.shape_rules) {
    if (fired.verdict.model) return &fired;
  }
  return nullptr;
}

Fit fit_of(const Candidate& candidate, const Need& need) {
  const Bytes usable = candidate.shape.memory_bytes;
  Fit fit;
  if (!need.estimate || !need.estimate->capacity) {
    fit.headroom_bytes = usable - known_need(need);
    fit.at = fit.headroom_bytes.count() >= 0 ? FitsAt::High : FitsAt::None;
    if (fit.at == FitsAt::None) {
      fit.refusal =
          need.static_bytes > usable
              ? fmt::format("the static part of {} alone exceeds {}", size_text(need.static_bytes),
                            size_text(usable))
              : fmt::format("the need of {} exceeds {} by {}", size_text(known_need(need)),
                            size_text(usable), size_text(known_need(need) - usable));
    }
    return fit;
  }
  const domain::Estimate& estimate = *need.estimate;
  const domain::Capacity& capacity = *estimate.capacity;
  fit.at = capacity.fits_at;
  const Bytes cache = domain::part_bytes(estimate, Part::KvCache).high +
                      domain::part_bytes(estimate, Part::State).high;
  fit.headroom_bytes = capacity.kv_pool_bytes.low - cache;
  if (domain::is_training(estimate))
    fit.headroom_bytes = capacity.visible_bytes.low - estimate.total_bytes.high;
  if (fit.at != FitsAt::None) return fit;
  const Bytes visible = capacity.visible_bytes.expected;
  const Bytes weights = domain::part_bytes(estimate, Part::Weights).expected;
  if (weights > visible) {
    fit.refusal = fmt::format("weights {} alone exceed {}", size_text(weights), size_text(visible));
  } else {
    const Bytes pool = std::max(Bytes(0), capacity.kv_pool_bytes.expected);
    const Bytes wanted = domain::part_bytes(estimate, Part::KvCache).expected +
                         domain::part_bytes(estimate, Part::State).expected;
    fit.refusal =
        wanted > pool
            ? fmt::format("the cache of {} exceeds {} left beside weights {} and activation by {}",
                          size_text(wanted), size_text(pool), size_text(weights),
                          size_text(wanted - pool))
            : fmt::format("{} in all exceed {}", size_text(estimate.total_bytes.expected),
                          size_text(visible));
  }
  return fit;
}

Result<DeviceCase> examine(const AdviceRequest& request, const Wish& wish, const Facts& declared) {
  DeviceCase device_case{.request = request,
                         .wish = wish,
                         .facts = declared,
                         .fractions = {},
                         .full = {},
                         .passthrough = {},
                         .need = {},
                         .groups = {},
                         .copies = {},
                         .narrower = {},
                         .shape_rules = {},
                         .mode_rules = {}};
  Facts& facts = device_case.facts;
  facts.device = wish.device.id;
  facts.mig_instances = wish.device.mig_max_instances;
  facts.link_domain_size = link_domain_size(wish);
  device_case.fractions =
      fraction_candidates(wish, facts.platform, request.profile, request.thresholds);
  if (wants_software_shares(device_case)) {
    std::ranges::move(
        software_shares(wish, facts.platform, facts.asked_technology, request.thresholds),
        std::back_inserter(device_case.fractions));
    std::ranges::stable_sort(device_case.fractions, std::ranges::greater{},
                             [](const Candidate& fraction) { return fraction.shape.memory_bytes; });
  }
  facts.has_time_sliced = std::ranges::any_of(device_case.fractions, [](const Candidate& fraction) {
    return mode_of(fraction.shape) == FractionMode::TimeSliced;
  });
  device_case.full = full_candidate(wish, facts.platform);
  if (has_hypervisor(facts.platform)) device_case.passthrough = passthrough_candidate(wish);
  facts.device_bytes = device_case.whole().shape.memory_bytes;
  facts.physical_bytes = device_case.wish.device.visible_bytes.expected;

  device_case.mode_rules = fired_mode_rules(facts, request.thresholds);
  find_largest_fraction(device_case);

  const Layout alone{};
  Result<Need> whole = size_workload(request, facts, alone, memory_of(wish, device_case.whole()));
  if (!whole) return std::unexpected(whole.error());
  device_case.need = *std::move(whole);
  find_groups(device_case);
  find_narrower_layout(device_case);
  take_need(facts, *device_case.need);
  // In a fraction the engine takes a smaller batch; what the rules compare is the need there.
  for (const Candidate& fraction : device_case.fractions) {
    if (facts.gpus_needed != 1 || fraction.shape.profile_short != facts.largest_fraction) continue;
    if (Result<Need> need = size_workload(request, facts, alone, memory_of(wish, fraction))) {
      take_need(facts, *need);
    }
    break;
  }
  facts.time_sliced_bytes = smallest_holding(device_case, FractionMode::TimeSliced);
  facts.mig_bytes = smallest_holding(device_case, FractionMode::Mig);
  device_case.mode_rules = fired_mode_rules(facts, request.thresholds);
  device_case.shape_rules = fired_shape_rules(facts, request.thresholds);
  return device_case;
}

}  // namespace gpushape::advise
