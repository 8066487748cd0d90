// RV-22: frame buffer is given out once. It is never oversubscribed: the vGPU beyond it does not
// power on (F. Denneman, How vSphere DRS Makes GPU Placement Decisions, GPU Mode), and where a
// library lends more than there is, the spilled part crawls over PCIe or fails (Project-HAMi,
// deviceMemoryScaling).
#include <fmt/format.h>

#include <algorithm>

#include "domain/profile_memory.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// "L40S-24Q" -> the card, and 24.
struct PartOfCard {
  const domain::Device* product = nullptr;
  std::int64_t gib = 0;
  std::int64_t most = 0;  ///< of that type alone on one card; 0: not known
};

PartOfCard part_of_type(const Deployment& deployment, std::string type) {
  if (!type.empty() && (type.back() == 'Q' || type.back() == 'A')) type.back() = 'C';
  for (const domain::Device& device : deployment.request->devices) {
    for (const domain::Profile& profile : device.profiles) {
      if (profile.technology != domain::Technology::Mig && profile.type == type) {
        return {&device, profile.nominal_gib, profile.max_per_gpu};
      }
    }
  }
  return {};
}

void check_vgpu_layout(const Deployment& deployment, const LayoutConfig& config,
                       const GpuLayout& layout, Report& report) {
  // Types are named in rounded gigabytes: four H100L-1-24C are 96 of 94, and fit (NVIDIA,
  // vgpu-device-manager, examples/config-example.yaml). The table of the card counts them; a mix
  // has too many where the names leave no doubt.
  std::int64_t sum = 0;
  std::int64_t smallest = 0;
  const domain::Device* product = nullptr;
  for (const ProfileCount& row : layout.profiles) {
    const PartOfCard part = part_of_type(deployment, row.profile.value);
    if (part.product == nullptr || (product != nullptr && part.product != product)) return;
    product = part.product;
    sum += part.gib * row.count;
    smallest = smallest == 0 ? part.gib : std::min(smallest, part.gib);
    const bool is_counted = layout.profiles.size() == 1 && part.most > 0;
    const bool is_over =
        is_counted ? row.count > part.most : 2 * (sum - product->nominal_gb) > smallest;
    if (sum <= product->nominal_gb || !is_over) continue;
    report.add(*config.document, row.position,
               {.message = fmt::format("layout {} puts {} GB of vGPUs on one {} of {} GB",
                                       config.name, sum, product->id, product->nominal_gb)});
    return;
  }
}

/// A share that is larger than the GPU it is cut from.
void check_shares(const Deployment& deployment, const PodRequest& pod, Report& report) {
  for (const GpuAsk& ask : pod.gpus) {
    if (!ask.memory_bytes || ask.node == nullptr || !deployment.sizings) continue;
    const Sizing& sizing = deployment.sizing(pod);
    if (sizing.gpus.empty()) return;
    const domain::Device& device = *sizing.gpus.front().device;
    const Bytes whole = device.nvml_bytes.value_or(device.visible_bytes.high);
    if (*ask.memory_bytes <= whole) continue;
    report.add(
        *pod.document, *ask.node,
        {.message = fmt::format("{} asks for a share of {:.1f} GiB, and {} has {:.1f}", pod.title(),
                                ask.memory_bytes->gib(), device.id, whole.gib())});
  }
}

/// HAMi's chart: devicePlugin.deviceMemoryScaling.
void check_scaling(const Deployment& deployment, Report& report) {
  for (const Object& object : deployment.objects) {
    for (const std::string_view section : {"devicePlugin", "nvidia"}) {
      const auto scaling = quantity_at(*object.root, {section, "deviceMemoryScaling"});
      if (!scaling || scaling->value <= 1) continue;
      report.add(*object.document, *scaling->node,
                 {.message = fmt::format("HAMi lends {:g} times the memory that its GPUs have",
                                         scaling->value),
                  .fix = "set deviceMemoryScaling to 1"});
    }
  }
}

}  // namespace

void rv_22(const Deployment& deployment, Report& report) {
  for (const LayoutConfig& config : deployment.layouts) {
    if (!config.is_vgpu) continue;
    for (const GpuLayout& layout : config.layouts) {
      check_vgpu_layout(deployment, config, layout, report);
    }
  }
  for (const PodRequest& pod : deployment.pods) check_shares(deployment, pod, report);
  check_scaling(deployment, report);
}

}  // namespace gpushape::review::rules_of
