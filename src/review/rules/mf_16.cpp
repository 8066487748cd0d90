// MF-16: a node offers the MIG instance that is asked for. The profile must exist, the strategy
// must name it, and the layout of the nodes must hold it
// (https://github.com/NVIDIA/gpu-operator/issues/351,
// https://github.com/NVIDIA/gpu-operator/issues/603).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/edit_distance.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

using domain::Device;
using domain::Profile;

/// Resource names write "1g.10gb+me" as "1g.10gb.me".
std::string plain_profile(std::string name) {
  std::ranges::replace(name, '+', '.');
  return name;
}

const Profile* mig_profile(const Device& device, std::string_view name) {
  const auto is_it = [&](const Profile& profile) {
    return profile.technology == domain::Technology::Mig &&
           plain_profile(profile.short_name) == plain_profile(std::string(name));
  };
  const auto found = std::ranges::find_if(device.profiles, is_it);
  return found == device.profiles.end() ? nullptr : &*found;
}

std::vector<std::string> all_mig_profiles(const Deployment& deployment) {
  std::vector<std::string> names;
  for (const Device& device : deployment.request->devices) {
    for (const Profile& profile : device.profiles) {
      if (profile.technology != domain::Technology::Mig) continue;
      std::string name = plain_profile(profile.short_name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

void check_ask(const Deployment& deployment, const PodRequest& pod, const GpuAsk& ask,
               const std::vector<std::string>& known, Report& report) {
  const std::string wanted = plain_profile(ask.profile);
  if (std::ranges::find(known, wanted) == known.end()) {
    report.add(*pod.document, *ask.node,
               {.message = fmt::format("{} asks for {}, and no known GPU has a MIG profile {}",
                                       pod.title(), ask.resource, ask.profile),
                .fix = suggestion(wanted, known, "`gpushape profiles list` shows them"),
                .severity = domain::Severity::Error});
    return;
  }
  for (const OperatorPolicy& policy : deployment.operator_policies) {
    if (!policy.mig_strategy || policy.mig_strategy->value == "mixed") continue;
    report.add(*pod.document, *ask.node,
               {.message = fmt::format("{} asks for {}, and with mig.strategy {} the nodes offer "
                                       "nvidia.com/gpu",
                                       pod.title(), ask.resource, policy.mig_strategy->value),
                .fix = "set mig.strategy to mixed, or ask for nvidia.com/gpu",
                .severity = domain::Severity::Error});
    return;
  }
  for (const DeviceClass& row : deployment.device_classes) {
    if (row.extended_resource && row.extended_resource->value == ask.resource) return;
  }
  bool has_layouts = false;
  for (const LayoutConfig& config : deployment.layouts) {
    if (config.is_vgpu) continue;
    has_layouts = true;
    for (const GpuLayout& layout : config.layouts) {
      for (const ProfileCount& row : layout.profiles) {
        if (plain_profile(row.profile.value) == wanted) return;
      }
    }
  }
  if (!has_layouts) return;
  report.add(*pod.document, *ask.node,
             {.message = fmt::format("{} asks for {}, and no layout among these files makes one",
                                     pod.title(), ask.resource)});
}

void check_layout(const Deployment& deployment, const LayoutConfig& config, const GpuLayout& layout,
                  Report& report) {
  if (!layout.is_enabled || layout.device_filter.empty()) return;
  for (const Device& device : deployment.request->devices) {
    if (!is_for_device(layout, device)) continue;
    std::int64_t memory_slices = 0;
    std::int64_t compute_slices = 0;
    for (const ProfileCount& row : layout.profiles) {
      const Profile* profile = mig_profile(device, row.profile.value);
      if (profile == nullptr) {
        report.add(
            *config.document, row.position,
            {.message = fmt::format("layout {} wants {} on {}, which has no such MIG profile",
                                    config.name, row.profile.value, device.id),
             .severity = domain::Severity::Error});
        return;
      }
      memory_slices += profile->memory_slices * row.count;
      compute_slices += profile->compute_slices * row.count;
      if (row.count <= profile->max_per_gpu && memory_slices <= device.mig_memory_slices &&
          compute_slices <= device.mig_compute_slices) {
        continue;
      }
      report.add(*config.document, row.position,
                 {.message = fmt::format("layout {} does not fit one {}: {} memory and {} compute "
                                         "slices of {} and {}",
                                         config.name, device.id, memory_slices, compute_slices,
                                         device.mig_memory_slices, device.mig_compute_slices),
                  .severity = domain::Severity::Error});
      return;
    }
  }
}

}  // namespace

void mf_16(const Deployment& deployment, Report& report) {
  std::vector<std::string> known;
  for (const PodRequest& pod : deployment.pods) {
    for (const GpuAsk& ask : pod.gpus) {
      if (ask.kind != GrantKind::MigInstance || ask.node == nullptr) continue;
      if (known.empty()) known = all_mig_profiles(deployment);
      check_ask(deployment, pod, ask, known, report);
    }
  }
  for (const LayoutConfig& config : deployment.layouts) {
    if (config.is_vgpu) continue;
    for (const GpuLayout& layout : config.layouts) check_layout(deployment, config, layout, report);
  }
}

}  // namespace gpushape::review::rules_of
