#include "advise/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "advise/capability.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::Reason;
using domain::Technology;

namespace {

bool whole_device_is_asked(const Facts& facts) {
  return facts.asked_model == ConsumptionModel::Full ||
         facts.asked_model == ConsumptionModel::Passthrough ||
         facts.asked_technology == Technology::FullVgpu ||
         facts.asked_technology == Technology::WholeGpu ||
         facts.asked_technology == Technology::Passthrough;
}

/// A whole device for what a fraction holds, and hardly any compute. UT, The GPU Utilization
/// Problem.
std::optional<Reason> whole_for_a_fraction(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const Threshold& idle = device_case.request.thresholds.idle_compute;
  const bool is_held_whole = whole_device_is_asked(facts) || facts.usage_days.has_value();
  if (!is_held_whole || !facts.need_bytes || !facts.compute_share) {
    return std::nullopt;
  }
  if (*facts.need_bytes > facts.largest_fraction_bytes || *facts.compute_share > idle.value) {
    return std::nullopt;
  }
  return Reason{"RV-01", fmt::format("a whole {} is {} where a fraction does: {} would lie "
                                     "idle, with {} of the compute in use ({})",
                                     facts.device, facts.usage_days ? "held" : "asked for",
                                     limit_text(facts.device_bytes - *facts.need_bytes),
                                     percent_text(*facts.compute_share), to_text(idle))};
}

/// P3, From Static Device Binding, 2-5.
std::optional<Reason> passthrough_without_label(const domain::RankedShape& best) {
  if (best.shape.technology != Technology::Passthrough || !best.contract.hardware_label.empty()) {
    return std::nullopt;
  }
  return Reason{"LC-02",
                "high availability is needed and no hardware label is given: label the devices "
                "for Dynamic DirectPath I/O on every host that may restart the VM, and name the "
                "label with --hardware-label"};
}

/// P2, Passthrough, 4.
std::optional<Reason> rigid_passthrough(const Facts& facts) {
  if (!passthrough_is_asked(facts) || facts.change_rate != domain::ChangeRate::High) {
    return std::nullopt;
  }
  return Reason{"RV-05",
                "passthrough for a workload that changes often: every change stops it and "
                "reconfigures the host; take a full vGPU profile"};
}

std::optional<Reason> another_model_is_asked(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const Fired* decider = deciding_rule(device_case);
  if (decider == nullptr || !facts.asked_model || facts.asked_model == decider->verdict.model) {
    return std::nullopt;
  }
  return Reason{
      std::string(decider->id),
      fmt::format("{} is asked for on {}; the rules say {}: {}", name_of(*facts.asked_model),
                  facts.device, name_of(*decider->verdict.model), decider->verdict.says)};
}

ConsumptionModel model_of(Technology technology) {
  switch (technology) {
    case Technology::FullVgpu:
    case Technology::WholeGpu:
      return ConsumptionModel::Full;
    case Technology::Passthrough:
      return ConsumptionModel::Passthrough;
    case Technology::TimeSliced:
    case Technology::Mig:
    case Technology::MigBackedVgpu:
    case Technology::Mps:
    case Technology::SoftwareShare:
    case Technology::Partition:
      break;
  }
  return ConsumptionModel::Fractional;
}

std::optional<Reason> another_technology_is_asked(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  const Fired* decider = deciding_rule(device_case);
  if (decider == nullptr || !facts.asked_technology) return std::nullopt;
  const Technology asked = *facts.asked_technology;
  const ConsumptionModel model = model_of(asked);
  const bool is_group_of_whole =
      decider->verdict.model == ConsumptionModel::MultiGpu && model == ConsumptionModel::Full;
  if (model != decider->verdict.model && !is_group_of_whole) {
    return Reason{
        std::string(decider->id),
        fmt::format("{} is asked for on {}; the rules say {}: {}", name_of(asked), facts.device,
                    name_of(*decider->verdict.model), decider->verdict.says)};
  }
  if (model != ConsumptionModel::Fractional) return std::nullopt;
  const bool is_there = std::ranges::any_of(device_case.fractions, [&](const Candidate& fraction) {
    return fraction.shape.technology == asked;
  });
  if (!is_there) {
    return Reason{"platform", fmt::format("{} is asked for, and {} has none on {}", name_of(asked),
                                          facts.device, name_of(facts.platform))};
  }
  const FractionMode mode =
      asked == Technology::TimeSliced ? FractionMode::TimeSliced : FractionMode::Mig;
  for (const Fired& fired : device_case.mode_rules) {
    if (fired.verdict.mode == mode) continue;
    return Reason{std::string(fired.id), fmt::format("{} is asked for; against it: {}",
                                                     name_of(asked), fired.verdict.says)};
  }
  return std::nullopt;
}

/// P2, When a workload spans GPUs, 3; P9; P10.
std::optional<Reason> outside_link_domain(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  if (!facts.layout_is_asked || facts.gpus_needed <= facts.link_domain_size) return std::nullopt;
  std::string says = fmt::format(
      "{} GPUs do not lie inside one link domain of {} on {}: the count "
      "would match, the geometry not",
      facts.gpus_needed, facts.link_domain_size, facts.device);
  if (facts.link_domain_size > 1) {
    says += fmt::format("; {} of {} GPUs each carry the load (MG-05)",
                        counted(facts.gpus_needed / facts.link_domain_size, "replica"),
                        facts.link_domain_size);
  }
  return Reason{"RV-06", std::move(says)};
}

}  // namespace

std::vector<Reason> findings_of(const DeviceCase& device_case) {
  const Facts& facts = device_case.facts;
  std::vector<Reason> findings;
  const auto add = [&](std::optional<Reason> finding) {
    if (finding) findings.push_back(*std::move(finding));
  };
  add(another_model_is_asked(device_case));
  add(another_technology_is_asked(device_case));
  if (facts.needs_live_migration && !has_hypervisor(facts.platform)) {
    for (const Fired& fired : fired_rules(std::array<std::string_view, 1>{"LC-01"}, facts,
                                          device_case.request.thresholds)) {
      add(to_reason(fired));
    }
  }
  if (!has_hypervisor(facts.platform) && facts.gpus_needed > facts.link_domain_size) {
    for (const Fired& fired : fired_rules(std::array<std::string_view, 1>{"MG-04"}, facts,
                                          device_case.request.thresholds)) {
      add(to_reason(fired));
    }
  }
  for (const Fired& fired : fired_rules(
           std::array<std::string_view, 6>{"EV-01", "EV-02", "EV-03", "EV-04", "EV-05", "MG-03"},
           facts, device_case.request.thresholds)) {
    add(to_reason(fired));
  }
  add(whole_for_a_fraction(device_case));
  add(rigid_passthrough(facts));
  add(outside_link_domain(device_case));
  add(emulated_format(device_case.request, device_case.wish));
  return findings;
}

std::vector<Reason> findings_of(const DeviceCase& device_case, const domain::RankedShape& best) {
  const AdviceRequest& request = device_case.request;
  std::vector<Reason> findings;
  Facts facts = device_case.facts;
  facts.pause_seconds = best.contract.pause_seconds;
  facts.link_gigabits_per_second = device_case.wish.host.vmotion_gigabits_per_second;
  if (const auto& tolerated = request.workload.contract.tolerated_pause_seconds)
    facts.tolerated_pause_seconds = tolerated->value;
  for (const Fired& fired :
       fired_rules(std::array<std::string_view, 1>{"LC-04"}, facts, request.thresholds)) {
    findings.push_back(to_reason(fired));
  }
  if (request.workload.needs_ha.value) {
    if (has_hypervisor(device_case.facts.platform)) {
      if (auto finding = passthrough_without_label(best)) findings.push_back(*std::move(finding));
    }
    findings.push_back(to_reason(
        fired_rules(std::array<std::string_view, 1>{"LC-03"}, facts, request.thresholds).front()));
  }
  return findings;
}

}  // namespace gpushape::advise
