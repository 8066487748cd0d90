#include "advise/flip.hpp"

#include <fmt/format.h>

#include <cmath>

#include "advise/shape_reasons.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::Flip;
using domain::Shape;

namespace {

/// The fraction to turn to: the smallest of the catalog, in the preferred mode, that holds the
/// need; the largest where none does, or where the need is not known.
const Candidate* fraction_to_turn_to(const DeviceCase& device_case) {
  const std::optional<Bytes>& need = device_case.facts.need_bytes;
  const Candidate* choice = nullptr;
  for (const Candidate& fraction : device_case.fractions) {  // largest first
    if (refusing_mode_rule(device_case, fraction) != nullptr || !fraction.nests) continue;
    if (mode_of(fraction.shape) != preferred_mode(device_case)) continue;
    if (choice == nullptr || (need && *need <= fraction.shape.memory_bytes)) choice = &fraction;
  }
  return choice;
}

Flip to_fraction_by_evidence(const DeviceCase& device_case) {
  Flip flip{.runner_up = {}, .rule = "EV-01", .fact = "evidence", .change = {}, .outcome = {}};
  const Candidate* fraction = fraction_to_turn_to(device_case);
  if (fraction == nullptr) {
    flip.rule = deciding_rule(device_case)->id;
    flip.change = "no evidence: this device has no fraction for it";
    flip.outcome = "the same";
    return flip;
  }
  flip.runner_up = fraction->shape;
  flip.change = fmt::format("evidence E2 with a spread of at most {:g} and a need of at most {}",
                            device_case.request.thresholds.highest_spread.value,
                            limit_text(fraction->shape.memory_bytes));
  flip.outcome = shape_text(fraction->shape);
  return flip;
}

Flip to_fraction_by_size(const DeviceCase& device_case, std::string_view rule, const char* fact,
                         Bytes now) {
  Flip flip{.runner_up = {}, .rule = std::string(rule), .fact = fact, .change = {}, .outcome = {}};
  for (const Candidate& fraction : device_case.fractions) {
    if (fraction.shape.profile_short != device_case.facts.largest_fraction) continue;
    const Bytes limit = fraction.shape.memory_bytes;
    flip.runner_up = fraction.shape;
    flip.change = fmt::format("the {} falls by {}, to at most {}",
                              std::string_view(fact) == "need" ? "need" : "static part",
                              fall_text(now - limit), limit_text(limit));
    flip.outcome = shape_text(fraction.shape);
    break;
  }
  return flip;
}

Flip to_one_device(const DeviceCase& device_case) {
  const double part = device_case.request.thresholds.whole_device.value;
  const Shape& shape = device_case.whole().shape;
  const Bytes limit(
      static_cast<std::int64_t>(static_cast<double>(shape.memory_bytes.count()) * part));
  if (device_case.facts.layout_is_asked) {
    return {.runner_up = shape,
            .rule = "CM-02",
            .fact = "layout",
            .change = "no layout is asked for, and the need is at most " + limit_text(limit),
            .outcome = shape_text(shape)};
  }
  return {.runner_up = shape,
          .rule = "CM-02",
          .fact = "need",
          .change = fmt::format("a need of at most {} (now {}): narrower weights or cache, less "
                                "context or fewer sequences",
                                limit_text(limit),
                                size_text(device_case.facts.need_bytes.value_or(
                                    device_case.facts.static_bytes.value_or(Bytes(0))))),
          .outcome = shape_text(shape)};
}

/// The clause of CM-03 that fails, as the fact to change.
std::pair<const char*, std::string> clause_to_change(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (!facts.is_appliance) return {"appliance", "an appliance with a fixed GPU set-up"};
  if (!facts.is_predictable) {
    return {"evidence", fmt::format("evidence E1 or better with a spread of at most {:g}",
                                    device_case.request.thresholds.highest_spread.value)};
  }
  if (facts.change_rate == domain::ChangeRate::High) return {"changeRate", "a low change rate"};
  return {"needsLiveMigration", "no need for live migration"};
}

/// What comes next when the chosen profile becomes too small.
std::optional<Flip> to_more_memory(const DeviceCase& device_case, const Shape& best) {
  const Candidate* larger = nullptr;
  for (const Candidate& fraction : device_case.fractions) {
    if (!fraction.nests || fraction.shape.technology != best.technology) continue;
    if (fraction.shape.memory_bytes > best.memory_bytes) larger = &fraction;
  }
  const Shape& next = larger != nullptr ? larger->shape : device_case.whole().shape;
  return Flip{.runner_up = next,
              .rule = "EV-02",
              .fact = "need",
              .change = fmt::format("a need above {}", limit_text(best.memory_bytes)),
              .outcome = shape_text(next)};
}

}  // namespace

std::optional<Flip> flip_of(const DeviceCase& device_case, const domain::RankedShape& best) {
  const Fired* decider = deciding_rule(device_case);
  if (decider == nullptr) return std::nullopt;
  if (best.shape.consumption_model == domain::ConsumptionModel::Fractional) {
    return to_more_memory(device_case, best.shape);
  }
  if (decider->id == "CM-02") return to_one_device(device_case);
  if (decider->id == "CM-03") {
    return Flip{.runner_up = device_case.whole().shape,
                .rule = "CM-04",
                .fact = "changeRate",
                .change = "a high change rate",
                .outcome = shape_text(device_case.whole().shape)};
  }
  if (decider->id == "CM-04" && device_case.passthrough) {
    auto [fact, change] = clause_to_change(device_case);
    return Flip{.runner_up = device_case.passthrough->shape,
                .rule = "CM-03",
                .fact = fact,
                .change = std::move(change),
                .outcome = shape_text(device_case.passthrough->shape)};
  }
  if (decider->id == "CM-05") {
    return to_fraction_by_size(device_case, "CM-05", "static",
                               device_case.facts.static_bytes.value_or(Bytes(0)));
  }
  if (decider->id == "CM-08") {
    return to_fraction_by_size(device_case, "CM-08", "need",
                               device_case.facts.need_bytes.value_or(Bytes(0)));
  }
  return to_fraction_by_evidence(device_case);
}

}  // namespace gpushape::advise
