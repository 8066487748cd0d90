// Devices with the facts that placement and the VM contract read, set by hand so that these tests
// stand apart from the data files.
#pragma once

#include <string>

#include "domain/device.hpp"
#include "domain/shape.hpp"

namespace gpushape::example {

inline domain::Device device(const std::string& id, std::int64_t nominal, std::int64_t mmio) {
  domain::Device made;
  made.id = id;
  made.vendor = "nvidia";
  made.nominal_gb = nominal;
  made.mmio_gib = mmio;
  made.visible_bytes = domain::exactly(gib(nominal));
  return made;
}

inline void add_profile(domain::Device& device, domain::Technology technology,
                        const std::string& name, const std::string& short_name,
                        std::int64_t nominal, std::int64_t most) {
  domain::Profile profile;
  profile.name = name;
  profile.short_name = short_name;
  profile.technology = technology;
  profile.nominal_gib = nominal;
  profile.max_per_gpu = most;
  profile.is_full_size = technology == domain::Technology::FullVgpu;
  device.profiles.push_back(profile);
}

// BAR1: A30 32 GiB, A100-80 and H100 128, H200 256 (vm-contract.md, step 4). MMIO need of a device:
// NVIDIA vGPU documentation. Counts: NVIDIA vGPU types.

inline domain::Device h100() {
  using enum domain::Technology;
  domain::Device made = device("h100-sxm-80", 80, 256);
  made.bar1_gib = 128;
  made.nvlink.kind = "nvswitch";
  add_profile(made, FullVgpu, "nvidia_h100xm-80c", "80C", 80, 1);
  add_profile(made, TimeSliced, "nvidia_h100xm-40c", "40C", 40, 2);
  add_profile(made, TimeSliced, "nvidia_h100xm-20c", "20C", 20, 4);
  add_profile(made, TimeSliced, "nvidia_h100xm-10c", "10C", 10, 8);
  made.profiles.back().max_per_gpu_mixed = 8;
  add_profile(made, TimeSliced, "nvidia_h100xm-4c", "4C", 4, 20);
  made.profiles.back().max_per_gpu_mixed = 16;
  add_profile(made, Mig, "3g.40gb", "3g.40gb", 40, 2);
  return made;
}

inline domain::Device l40s() {
  domain::Device made = device("l40s", 48, 128);
  add_profile(made, domain::Technology::FullVgpu, "nvidia_l40s-48c", "48C", 48, 1);
  return made;
}

inline domain::Device a100() {
  domain::Device made = device("a100-pcie-80", 80, 256);
  made.bar1_gib = 128;
  add_profile(made, domain::Technology::FullVgpu, "grid_a100d-80c", "80C", 80, 1);
  return made;
}

inline domain::Device a30() {
  domain::Device made = device("a30", 24, 64);
  made.bar1_gib = 32;
  return made;
}

inline domain::Device h100_nvl() {
  domain::Device made = device("h100-nvl-94", 94, 256);
  made.bar1_gib = 128;
  add_profile(made, domain::Technology::FullVgpu, "nvidia_h100l-94c", "94C", 94, 1);
  return made;
}

inline domain::Device h200() {
  domain::Device made = device("h200-sxm-141", 141, 512);
  made.bar1_gib = 256;
  made.nvlink.kind = "nvswitch";
  add_profile(made, domain::Technology::FullVgpu, "nvidia_h200x-141c", "141C", 141, 1);
  return made;
}

/// `count` of a profile by its short name; an empty one is the device itself, passed through.
inline domain::Shape shape(const domain::Device& device, const std::string& short_name,
                           std::int64_t count = 1) {
  domain::Shape made;
  made.device = device.id;
  made.count = count;
  made.consumption_model =
      count > 1 ? domain::ConsumptionModel::MultiGpu : domain::ConsumptionModel::Full;
  made.technology = domain::Technology::Passthrough;
  for (const domain::Profile& profile : device.profiles) {
    if (profile.short_name != short_name) continue;
    made.profile = profile.name;
    made.profile_short = short_name;
    made.technology = profile.technology;
  }
  made.parallelism.tensor = count;
  return made;
}

/// A device group over NVLink.
inline domain::Shape group(const domain::Device& device, const std::string& short_name,
                           std::int64_t count) {
  domain::Shape made = shape(device, short_name, count);
  made.interconnect = "nvlink";
  made.device_group = "Nvidia:" + std::to_string(count) + "@" + made.profile + "%NVLink";
  return made;
}

}  // namespace gpushape::example
