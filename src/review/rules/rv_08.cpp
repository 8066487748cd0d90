// RV-08: sizes of a mixed layout nest. A size whose placements cross those of the next strands what
// lies between (F. Denneman, mixed-size vGPU placement: 8, 10 and 20 GB on a card of 80 lose up to
// 24 GB; NVIDIA vGPU User Guide, placements for mixed-size mode).
#include <fmt/format.h>

#include <algorithm>

#include "domain/profile_geometry.hpp"
#include "domain/profile_memory.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct MixedSize {
  const domain::Device* product = nullptr;
  const domain::Profile* profile = nullptr;
};

/// "L40S-24Q" is placed as the type for compute of that size, which the tables hold.
MixedSize size_of_type(const Deployment& deployment, std::string type) {
  if (!type.empty() && (type.back() == 'Q' || type.back() == 'A')) type.back() = 'C';
  for (const domain::Device& device : deployment.request->devices) {
    for (const domain::Profile& profile : device.profiles) {
      if (profile.technology != domain::Technology::Mig && profile.type == type) {
        return {&device, &profile};
      }
    }
  }
  return {};
}

/// What the pair leaves that nobody can use, in words; empty where they nest.
std::string conflict_of(const MixedSize& a, const MixedSize& b) {
  if (a.product != b.product || a.product == nullptr || a.profile == b.profile) return {};
  const bool is_less = a.profile->nominal_gib < b.profile->nominal_gib;
  const domain::Profile& small = is_less ? *a.profile : *b.profile;
  const domain::Profile& large = is_less ? *b.profile : *a.profile;
  if (domain::nests(small, large)) return {};
  const Bytes lost = domain::stranded_bytes(*a.product, small, domain::GpuMode::MixedSize);
  return fmt::format("{} and {} of {} do not nest: one {} strands {:.0f} GiB beside {}",
                     small.short_name, large.short_name, a.product->id, small.short_name,
                     lost.gib(), large.short_name);
}

std::string nesting_text(const domain::Device& device) {
  std::string text;
  for (const domain::Profile* profile : domain::nesting_profiles(device)) {
    text += (text.empty() ? "" : ", ") + profile->short_name;
  }
  return text;
}

void check_mixed_layout(const Deployment& deployment, const LayoutConfig& config,
                        const GpuLayout& layout, Report& report) {
  std::vector<MixedSize> seen;
  for (const ProfileCount& row : layout.profiles) {
    const MixedSize size = size_of_type(deployment, row.profile.value);
    for (const MixedSize& other : seen) {
      const std::string conflict = conflict_of(size, other);
      if (conflict.empty()) continue;
      report.add(*config.document, row.position,
                 {.message = fmt::format("layout {}: {}", config.name, conflict),
                  .fix = "choose sizes that nest: " + nesting_text(*size.product)});
      return;
    }
    seen.push_back(size);
  }
}

bool is_mixed(const Deployment& deployment, const domain::Device& product) {
  if (deployment.cluster() == nullptr) return false;
  return std::ranges::any_of(deployment.cluster()->hosts, [&](const domain::ClusterHost& host) {
    return std::ranges::any_of(host.gpus, [&](const domain::Gpu& gpu) {
      return gpu.device == product.id &&
             std::ranges::find(gpu.allowed_modes, domain::GpuMode::MixedSize) !=
                 gpu.allowed_modes.end();
    });
  });
}

void check_mixed_classes(const Deployment& deployment, Report& report) {
  std::vector<MixedSize> seen;
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.devices.size() != 1) continue;
    const VmDevice& device = vm.devices.front();
    const MixedSize size{device.product, profile_of_device(device)};
    const bool is_share =
        size.profile != nullptr && size.profile->technology == domain::Technology::TimeSliced;
    if (!is_share || !is_mixed(deployment, *size.product)) continue;
    for (const MixedSize& other : seen) {
      const std::string conflict = conflict_of(size, other);
      if (conflict.empty()) continue;
      report.add(
          *vm.document, *device.node,
          {.message = fmt::format("{} meets other sizes on one GPU: {}", title_of(vm), conflict),
           .fix = "choose sizes that nest: " + nesting_text(*size.product)});
      break;
    }
    seen.push_back(size);
  }
}

}  // namespace

void rv_08(const Deployment& deployment, Report& report) {
  for (const LayoutConfig& config : deployment.layouts) {
    if (!config.is_vgpu) continue;
    for (const GpuLayout& layout : config.layouts) {
      check_mixed_layout(deployment, config, layout, report);
    }
  }
  check_mixed_classes(deployment, report);
}

}  // namespace gpushape::review::rules_of
