#include "advise/shape_reasons.hpp"

#include <fmt/format.h>

#include <array>

#include "advise/software_shares.hpp"
#include "advise/words.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::Reason;
using domain::Shape;
using domain::Technology;

namespace {

void append(std::vector<Reason>& reasons, std::span<const std::string_view> ids, const Facts& facts,
            const Thresholds& thresholds) {
  for (const Fired& fired : fired_rules(ids, facts, thresholds)) {
    reasons.push_back(to_reason(fired));
  }
}

/// A shape that no rule leads to: what it costs beside the decided one, or why it is there at all.
Reason speaking_against(const DeviceCase& device_case, const Candidate& candidate) {
  const Fired& decider = *deciding_rule(device_case);
  const ConsumptionModel decided = *decider.verdict.model;
  switch (candidate.shape.consumption_model) {
    case ConsumptionModel::Full:
      return {std::string(decider.id), fmt::format("more than the rules ask for, which is {}: {}",
                                                   name_of(decided), decider.verdict.says)};
    case ConsumptionModel::Passthrough:
      return {"platform", fmt::format("{} has no vGPU profile: passthrough is the only way",
                                      device_case.facts.device)};
    case ConsumptionModel::MultiGpu:
      return {"fit", "one device holds the need at the expected value only"};
    case ConsumptionModel::Fractional:
      break;
  }
  return {std::string(decider.id), "asked for; against it: " + decider.verdict.says};
}

void add_mode_reasons(const DeviceCase& device_case, const Candidate& candidate,
                      std::vector<Reason>& reasons) {
  // In the other mode, what prefers the first speaks against this one.
  const bool is_other = is_other_mode(device_case, candidate);
  for (const Fired& fired : device_case.mode_rules) {
    if (is_other || fired.verdict.mode == mode_of(candidate.shape)) {
      reasons.push_back(to_reason(fired));
    }
  }
  Facts here = device_case.facts;
  here.fraction_mode = mode_of(candidate.shape);
  here.is_software_share = is_software_share(candidate.shape.technology);
  if (here.is_software_share)
    reasons.push_back({"isolation", what_is_not_isolated(candidate.shape.technology)});
  append(reasons, std::array<std::string_view, 1>{"MD-06"}, here, device_case.request.thresholds);
}

/// The next smaller and the next larger size of the same mode.
std::array<const Candidate*, 2> neighbours(const DeviceCase& device_case,
                                           const Candidate& candidate) {
  const Candidate* smaller = nullptr;
  const Candidate* larger = nullptr;
  for (const Candidate& other : device_case.fractions) {  // largest first
    if (mode_of(other.shape) != mode_of(candidate.shape)) continue;
    if ((other.profile == nullptr) != (candidate.profile == nullptr)) continue;
    if (other.shape.memory_bytes > candidate.shape.memory_bytes) larger = &other;
    if (other.shape.memory_bytes < candidate.shape.memory_bytes && smaller == nullptr) {
      smaller = &other;
    }
  }
  return {smaller, larger};
}

/// Slices of memory that instances of this profile alone leave without compute ("7 x 1g").
std::int64_t slices_without_compute(const domain::Device& device, const domain::Profile& profile) {
  const bool takes_all_compute =
      profile.compute_slices > 0 &&
      profile.max_per_gpu * profile.compute_slices >= device.mig_compute_slices;
  return takes_all_compute ? device.mig_memory_slices - profile.max_per_gpu * profile.memory_slices
                           : 0;
}

/// Section 6: the size, how many stand side by side, what is stranded by it and by its neighbours.
Reason profile_reason(const DeviceCase& device_case, const Candidate& candidate) {
  std::string says =
      fmt::format("{}: {} to a device, {} stranded beside one", candidate.shape.profile_short,
                  candidate.per_device, size_text(candidate.stranded_bytes));
  if (!candidate.nests) says += "; its size is none of the halves of the device";
  const std::int64_t slices =
      candidate.profile == nullptr
          ? 0
          : slices_without_compute(device_case.wish.device, *candidate.profile);
  if (mode_of(candidate.shape) == FractionMode::Mig && slices > 0) {
    says += fmt::format("; {} of them leave {} without compute", candidate.per_device,
                        counted(slices, "memory slice"));
  }
  const auto [smaller, larger] = neighbours(device_case, candidate);
  if (smaller != nullptr) {
    says += fmt::format("; smaller {} would strand {}", smaller->shape.profile_short,
                        size_text(smaller->stranded_bytes));
  }
  if (larger != nullptr) {
    says += fmt::format("; larger {} would strand {}", larger->shape.profile_short,
                        size_text(larger->stranded_bytes));
  }
  return {"profile", std::move(says)};
}

void add_group_reasons(const DeviceCase& device_case, const Candidate& candidate, const Need& need,
                       const Layout& layout, std::vector<Reason>& reasons) {
  Facts here = device_case.facts;
  here.gpus_needed = layout.gpus;
  here.need_of_each_bytes = need.need_bytes.value_or(need.static_bytes);
  here.group = candidate.shape.device_group;
  here.interconnect = candidate.shape.interconnect;
  here.tensor = layout.parallelism.tensor;
  here.nodes = layout.nodes;
  here.data = layout.parallelism.data;
  if (layout.copies <= 1) here.copies = 1;
  append(reasons,
         std::array<std::string_view, 6>{"MG-05", "MG-01", "MG-02", "MG-04", "MD-04", "MG-06"},
         here, device_case.request.thresholds);
  if (!layout.why.empty()) reasons.push_back({"layout", layout.why});
}

void add_lifecycle_reasons(const DeviceCase& device_case, const Candidate& candidate,
                           std::vector<Reason>& reasons) {
  const bool is_passthrough = candidate.shape.technology == Technology::Passthrough;
  const Facts& facts = device_case.facts;
  if (!has_hypervisor(facts.platform)) return;
  const std::string_view id = is_passthrough ? "LC-02" : "LC-01";
  append(reasons, std::array<std::string_view, 1>{id}, facts, device_case.request.thresholds);
}

std::string settings_text(const domain::Estimate& estimate,
                          const std::optional<domain::Fact<Bytes>>& pool) {
  const domain::ResolvedSettings& settings = estimate.settings;
  const auto from = [](const auto& fact) {
    return fact.from.empty() ? std::string(name_of(fact.origin)) : fact.from;
  };
  std::string batch =
      fmt::format("max-num-seqs {} ({}), max-num-batched-tokens {} ({})",
                  settings.max_num_seqs.value, from(settings.max_num_seqs),
                  settings.max_num_batched_tokens.value, from(settings.max_num_batched_tokens));
  if (pool)
    return fmt::format("{}, kv-cache-memory-bytes {} ({})", batch, pool->value.count(), pool->from);
  if (settings.gpu_memory_utilization.value <= 0) return batch;  // the engine takes no share
  return fmt::format("{}, gpu-memory-utilization {} ({})", batch,
                     settings.gpu_memory_utilization.value, from(settings.gpu_memory_utilization));
}

void add_settings_reason(const DeviceCase& device_case, const Need& need,
                         std::vector<Reason>& reasons) {
  if (!need.estimate || !need.estimate->capacity || domain::is_training(*need.estimate)) return;
  reasons.push_back(
      {"settings",
       settings_text(*need.estimate, device_case.request.workload.engine.kv_cache_memory_bytes)});
}

}  // namespace

std::int64_t rule_rank(const DeviceCase& device_case, ConsumptionModel model) {
  std::int64_t place = 0;
  for (const Fired& fired : device_case.shape_rules) {
    if (!fired.verdict.model) continue;
    if (*fired.verdict.model == model) return place;
    ++place;
  }
  return kNoRule;
}

bool is_other_mode(const DeviceCase& device_case, const Candidate& candidate) {
  return candidate.shape.consumption_model == ConsumptionModel::Fractional &&
         mode_of(candidate.shape) != preferred_mode(device_case);
}

std::vector<Reason> reasons_for(const DeviceCase& device_case, const Candidate& candidate,
                                const Need& need, const Layout& layout) {
  std::vector<Reason> reasons;
  const ConsumptionModel model = candidate.shape.consumption_model;
  if (layout.copies == 1 && rule_rank(device_case, model) == kNoRule) {
    reasons.push_back(speaking_against(device_case, candidate));
  } else {
    // The decider, and what comes to the same; the other rules are about other shapes.
    const Fired* decider = deciding_rule(device_case);
    for (const Fired& fired : device_case.shape_rules) {
      if (&fired == decider || fired.verdict.model == model) reasons.push_back(to_reason(fired));
    }
  }
  if (model == ConsumptionModel::Fractional) {
    add_mode_reasons(device_case, candidate, reasons);
    reasons.push_back(profile_reason(device_case, candidate));
  }
  if (model == ConsumptionModel::MultiGpu) {
    add_group_reasons(device_case, candidate, need, layout, reasons);
  }
  add_lifecycle_reasons(device_case, candidate, reasons);
  if (fit_of(candidate, need).at == domain::FitsAt::Expected) {
    reasons.push_back(
        {"fit", "fits at the expected value only: not safe at the high end of the estimate"});
  }
  add_settings_reason(device_case, need, reasons);
  return reasons;
}

std::vector<Reason> reasons_for_narrower(const DeviceCase& device_case, const Group& narrower) {
  std::vector<Reason> reasons;
  append(reasons, std::array<std::string_view, 1>{"MG-03"}, device_case.facts,
         device_case.request.thresholds);
  if (narrower.layout.gpus > 1)
    add_group_reasons(device_case, narrower.candidate, *narrower.need, narrower.layout, reasons);
  add_lifecycle_reasons(device_case, narrower.candidate, reasons);
  add_settings_reason(device_case, *narrower.need, reasons);
  return reasons;
}

std::string to_change(const Shape& shape) {
  switch (shape.technology) {
    case Technology::TimeSliced:
      return "power off and on in another VM class; another size needs a device that is empty or "
             "in "
             "mixed-size mode";
    case Technology::MigBackedVgpu:
      return "power off and on in another VM class; other instance sizes need their slices empty, "
             "leaving MIG mode an empty device";
    case Technology::Mig:
      return "recreate the instance: its slices must be empty, leaving MIG mode needs an empty "
             "device";
    case Technology::FullVgpu:
      return shape.count > 1 ? "power off and on in another VM class; another group needs its "
                               "devices free in one link domain"
                             : "power off and on in another VM class";
    case Technology::Passthrough:
      return "stop the VM and reconfigure the host";
    case Technology::Partition:
      return "empty the device and set another compute mode: all partitions of it change";
    case Technology::Mps:
      return "restart with another limit of memory; the parts of a device are set for its server";
    case Technology::SoftwareShare:
      return "restart with another request of memory";
    case Technology::WholeGpu:
      break;
  }
  return "restart with another request; a fraction needs a device that is set up for it";
}

std::string shape_text(const Shape& shape) {
  std::string name = shape.profile_short;
  if (name.empty()) {
    name = shape.technology == Technology::Passthrough ? "passthrough" : "the whole device";
  }
  return shape.count > 1 ? fmt::format("{} x {}", shape.count, name) : name;
}

}  // namespace gpushape::advise
