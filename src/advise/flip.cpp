#include "advise/flip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/offers.hpp"
#include "advise/precision.hpp"
#include "advise/ranking.hpp"
#include "advise/shape_reasons.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::Flip;
using domain::RankedShape;

namespace {

/// The best shape of this device once facts of the request are others.
std::optional<RankedShape> answer_to(const AdviceRequest& request, const Wish& wish) {
  const Facts declared = declared_facts(request.workload, request.model ? &*request.model : nullptr,
                                        request.thresholds);
  const Result<DeviceCase> examined = examine(request, wish, declared);
  if (!examined) return std::nullopt;
  std::vector<Offer> offers = offers_of(*examined).offers;
  rank(offers);
  if (offers.empty()) return std::nullopt;
  return offers.front().ranked;
}

std::optional<RankedShape> answer_in_model(const AdviceRequest& request, const Wish& wish,
                                           ConsumptionModel model) {
  std::optional<RankedShape> answer = answer_to(request, wish);
  if (answer && answer->shape.consumption_model != model) return std::nullopt;
  return answer;
}

/// What is asked for, without the list of GPUs: an answer is for one wish.
AdviceRequest without_wishes(const AdviceRequest& request) {
  AdviceRequest one;
  one.workload = request.workload;
  one.model = request.model;
  one.engine = request.engine;
  one.profile = request.profile;
  one.thresholds = request.thresholds;
  one.constants = request.constants;
  one.telemetry = request.telemetry;
  one.usage = request.usage;
  one.measured_on = request.measured_on;
  one.measured_pool_tokens = request.measured_pool_tokens;
  return one;
}

Flip flip_to(const RankedShape& answer, std::string_view rule, std::string_view fact,
             std::string change) {
  const std::string shape = shape_text(answer.shape);
  return {.runner_up = answer.shape,
          .rule = std::string(rule),
          .fact = std::string(fact),
          .change = std::move(change),
          .outcome = answer.replicas > 1
                         ? fmt::format("{} of {}", counted(answer.replicas, "replica"), shape)
                         : shape,
          .replicas = answer.replicas};
}

Bytes static_of(const Facts& facts) { return facts.static_bytes.value_or(Bytes(0)); }
Bytes need_of(const Facts& facts) { return facts.need_bytes.value_or(static_of(facts)); }

void declare_spread(AdviceRequest& request, double spread) {
  request.workload.spread =
      domain::Fact<double>{.value = spread, .origin = domain::Origin::Computed, .from = "flip"};
}

/// Another need in place of the one that was declared or estimated: its spread stays, and what was
/// a ceiling stays one.
void declare_need(AdviceRequest& request, const Facts& facts, Bytes static_bytes, Bytes need) {
  if (!request.workload.spread && facts.spread) declare_spread(request, *facts.spread);
  domain::Demand demand;
  demand.static_bytes = std::min(static_bytes, need);
  if (facts.ceiling_bytes) {
    demand.ceiling_bytes = need;
  } else {
    // need = static + dynamic x (1 + guard)
    const double guard = guard_of(facts, request.thresholds).value;
    const double dynamic = static_cast<double>((need - *demand.static_bytes).count()) / (1 + guard);
    demand.dynamic_p99_bytes = Bytes(static_cast<std::int64_t>(std::floor(dynamic)));
  }
  request.workload.demand = demand;
}

/// What is missing before the rules let the workload share (CM-06, CM-07).
struct Missing {
  bool evidence = false;
  bool spread = false;
};

Missing missing_in(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const bool is_spiky = facts.is_mixture_of_experts || facts.is_durable;
  const double highest = device_case.request.thresholds.highest_spread.value;
  return {.evidence = facts.evidence == domain::Evidence::E0 ||
                      (is_spiky && facts.evidence != domain::Evidence::E2),
          .spread = !facts.spread || *facts.spread > highest};
}

void supply(const Missing& missing, AdviceRequest& request) {
  if (missing.evidence) request.workload.evidence.value = domain::Evidence::E2;
  if (missing.spread) declare_spread(request, request.thresholds.highest_spread.value);
}

/// "a spread of at most 1.5 (now 1.6)".
std::string spread_change(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const double highest = device_case.request.thresholds.highest_spread.value;
  std::string change = fmt::format("a spread of at most {:g}", highest);
  if (facts.spread && *facts.spread > highest)
    change += fmt::format(" (now {:.3g})", *facts.spread);
  return change;
}

/// "a need of at most 37.4 GiB (40.1 GB) (now 44.9 GiB)".
std::string need_change(const Facts& facts, Bytes limit) {
  std::string change = "a need of at most " + limit_text(limit);
  if (facts.need_bytes && *facts.need_bytes > limit) {
    change += fmt::format(", now {}", size_text(*facts.need_bytes));
  }
  return change;
}

std::optional<Flip> to_fraction_by_evidence(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const Missing missing = missing_in(device_case);
  if (facts.largest_fraction.empty() || (!missing.evidence && !missing.spread)) return std::nullopt;
  AdviceRequest changed = without_wishes(device_case.request);
  supply(missing, changed);
  const bool is_too_large = !facts.need_bytes || *facts.need_bytes > facts.largest_fraction_bytes;
  if (is_too_large) {
    declare_need(changed, facts, static_of(facts), facts.largest_fraction_bytes);
  }
  const auto answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Fractional);
  if (!answer) return std::nullopt;
  const std::string need = need_change(facts, answer->shape.memory_bytes);
  if (missing.evidence) {
    return flip_to(*answer, "EV-01", "evidence",
                   fmt::format("evidence E2 with {} and {}", spread_change(device_case), need));
  }
  return flip_to(*answer, "EV-01", "spread",
                 spread_change(device_case) + (is_too_large ? " and " + need : ""));
}

/// A smaller static part or need, with whatever else must be known before the device is shared.
std::optional<Flip> to_fraction_by_size(const DeviceCase& device_case, std::string_view rule) {
  const Facts& facts = device_case.facts;
  const Bytes limit = facts.largest_fraction_bytes;
  const Bytes fall = need_of(facts) - limit;
  const Bytes rest = static_of(facts) - fall;  // of the static part; the dynamic part stays
  const bool is_static = rule == "CM-05" && !facts.ceiling_bytes && rest.count() > 0;

  AdviceRequest changed = without_wishes(device_case.request);
  declare_need(changed, facts, is_static ? rest : static_of(facts), limit);
  std::string change =
      is_static
          ? fmt::format("the static part falls by {}, to at most {} (now {}, of a need of {})",
                        fall_text(fall), limit_text(rest), size_text(static_of(facts)),
                        size_text(need_of(facts)))
          : fmt::format("the need falls by {}, to at most {} (now {})", fall_text(fall),
                        limit_text(limit), size_text(need_of(facts)));
  if (!facts.need_bytes) change += ", with the dynamic part in it";
  auto answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Fractional);
  if (!answer) {
    const Missing missing = missing_in(device_case);
    supply(missing, changed);
    answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Fractional);
    if (missing.evidence) change += ", and evidence E2";
    if (missing.spread) change += ", and " + spread_change(device_case);
  }
  if (!answer) return std::nullopt;
  return flip_to(*answer, rule, is_static ? "static" : "need", std::move(change));
}

/// Where the mode rules leave no fraction: the one of them whose fact alone stands in the way. What
/// keeps the demands of the workload comes first.
std::optional<Flip> to_fraction_by_mode(const DeviceCase& device_case) {
  struct Change {
    const char* rule;
    const char* fact;
    const char* change;
    void (*apply)(domain::Workload&);
  };
  static constexpr auto kChanges = std::to_array<Change>({
      {"MD-05", "imageSupportsMig", "a serving image that supports MIG",
       [](domain::Workload& workload) { workload.image_supports_mig.value = true; }},
      {"MD-01", "isolation", "isolation none",
       [](domain::Workload& workload) { workload.isolation.value = domain::Isolation::None; }},
      {"MD-01", "tenants", "one tenant",
       [](domain::Workload& workload) { workload.tenants.value = 1; }},
      {"MD-02", "latencySlo", "a latency target that is not strict",
       [](domain::Workload& workload) { workload.latency_slo.value = domain::LatencySlo::Soft; }},
  });
  for (const Change& change : kChanges) {
    AdviceRequest changed = without_wishes(device_case.request);
    change.apply(changed.workload);
    const auto answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Fractional);
    if (answer) return flip_to(*answer, change.rule, change.fact, change.change);
  }
  return std::nullopt;
}

/// What would let the workload stand on one device (CM-02).
std::optional<Flip> to_one_device(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const Bytes limit = most_of_device(facts, device_case.request.thresholds);
  const Bytes need = need_of(facts);
  AdviceRequest changed = without_wishes(device_case.request);
  domain::EngineSettings& engine = changed.workload.engine;
  std::string_view fact = "need";
  std::string change;
  if (facts.layout_is_asked) {
    fact = "layout";
    change = "no layout is asked for";
    engine.tensor.reset();
    engine.pipeline.reset();
    engine.data.reset();
    engine.expert.reset();
    if (need > limit) {
      change +=
          fmt::format(", and the need is at most {} (now {})", limit_text(limit), size_text(need));
    }
  } else if (need <= limit && engine.gpu_memory_utilization) {
    fact = "gpuMemoryUtilization";
    change = fmt::format("a larger share than gpu-memory-utilization {}",
                         engine.gpu_memory_utilization->value);
    engine.gpu_memory_utilization.reset();
  } else if (need <= limit) {
    return std::nullopt;  // it is neither size nor share that keeps it off: no fact to name
  } else {
    change = fmt::format(
        "a need of at most {} (now {}): narrower weights or cache, less "
        "context or fewer sequences",
        limit_text(limit), size_text(need));
  }
  if (need > limit) declare_need(changed, facts, static_of(facts), limit);
  const auto answer = answer_to(changed, device_case.wish);
  if (!answer || answer->shape.count > 1) return std::nullopt;
  return flip_to(*answer, "CM-02", fact, std::move(change));
}

/// What moves often cannot stay bound to a device (CM-04).
std::optional<Flip> to_full_by_change(const DeviceCase& device_case) {
  AdviceRequest changed = without_wishes(device_case.request);
  changed.workload.change_rate = domain::Fact<domain::ChangeRate>{
      .value = domain::ChangeRate::High, .origin = domain::Origin::Computed, .from = "flip"};
  const auto answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Full);
  if (!answer) return std::nullopt;
  return flip_to(*answer, "CM-04", "changeRate", "a high change rate");
}

/// The clauses of CM-03 that fail, all of them; the first is the fact.
std::optional<Flip> to_passthrough(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  AdviceRequest changed = without_wishes(device_case.request);
  std::string_view fact;
  std::string change;
  const auto add = [&](std::string_view name, const std::string& words) {
    if (fact.empty()) fact = name;
    change += (change.empty() ? "" : ", and ") + words;
  };
  if (!facts.is_appliance) {
    changed.workload.appliance.value = true;
    add("appliance", "an appliance with a fixed GPU set-up");
  }
  const Missing missing{.evidence = facts.evidence == domain::Evidence::E0,
                        .spread = missing_in(device_case).spread};
  supply(missing, changed);
  if (missing.evidence) {
    add("evidence", "evidence E1 or better with " + spread_change(device_case));
  } else if (missing.spread) {
    add("spread", spread_change(device_case));
  }
  // An appliance of which nothing else is said seldom changes.
  if (changed.workload.change_rate &&
      changed.workload.change_rate->value == domain::ChangeRate::High) {
    changed.workload.change_rate->value = domain::ChangeRate::Low;
    add("changeRate", "a low change rate");
  }
  if (facts.needs_live_migration) {
    changed.workload.needs_live_migration.value = false;
    add("needsLiveMigration", "no need for live migration");
  }
  const auto answer = answer_in_model(changed, device_case.wish, ConsumptionModel::Passthrough);
  if (!answer) return std::nullopt;
  return flip_to(*answer, "CM-03", fact, std::move(change));
}

/// What comes next when the chosen profile becomes too small.
std::optional<Flip> to_more_memory(const DeviceCase& device_case, const domain::Shape& best) {
  constexpr Bytes kAbove = mib(1);  // ours: past what rounding to bytes may lose
  const Facts& facts = device_case.facts;
  AdviceRequest changed = without_wishes(device_case.request);
  declare_need(changed, facts, static_of(facts), best.memory_bytes + kAbove);
  const auto answer = answer_to(changed, device_case.wish);
  if (!answer || answer->shape == best) return std::nullopt;
  return flip_to(*answer, "EV-02", "need",
                 fmt::format("a need above {}", limit_text(best.memory_bytes)));
}

/// What a shape takes of the GPUs, over all replicas.
double devices_of(const RankedShape& ranked) {
  const double share = ranked.per_device > 1 ? 1.0 / static_cast<double>(ranked.per_device) : 1.0;
  return static_cast<double>(ranked.shape.count * ranked.replicas) * share;
}

/// The widest narrower weights with which less of the GPUs does.
std::optional<Flip> to_less_by_precision(const DeviceCase& device_case, const RankedShape& best,
                                         std::string_view rule) {
  for (const domain::Quantization quantization :
       narrower_weights(device_case.request, device_case.wish.device)) {
    AdviceRequest changed = with_weights(without_wishes(device_case.request), quantization);
    if (!changed.workload.spread && device_case.facts.spread)
      declare_spread(changed, *device_case.facts.spread);
    const auto answer = answer_to(changed, device_case.wish);
    if (!answer || answer->fits_at != domain::FitsAt::High) continue;
    if (devices_of(*answer) >= devices_of(best)) continue;
    return flip_to(
        *answer, rule, "quantization",
        fmt::format("{} weights (--quant {})", name_of(quantization), name_of(quantization)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Flip> flip_of(const DeviceCase& device_case, const domain::RankedShape& best) {
  const Fired* decider = deciding_rule(device_case);
  if (decider == nullptr) return std::nullopt;
  if (best.shape.consumption_model == domain::ConsumptionModel::Fractional) {
    return to_more_memory(device_case, best.shape);
  }
  const bool is_about_size =
      decider->id == "CM-02" || decider->id == "CM-05" || decider->id == "CM-08";
  if (is_about_size) {
    if (auto flip = to_less_by_precision(device_case, best, decider->id)) return flip;
  }
  if (decider->id == "CM-02") return to_one_device(device_case);
  if (decider->id == "CM-03") return to_full_by_change(device_case);
  if (decider->id == "CM-04") return to_passthrough(device_case);
  const bool is_size = decider->id == "CM-05" || decider->id == "CM-08";
  if (is_size && device_case.facts.largest_fraction.empty()) {
    return to_fraction_by_mode(device_case);
  }
  if (is_size) return to_fraction_by_size(device_case, decider->id);
  return to_fraction_by_evidence(device_case);
}

}  // namespace gpushape::advise
