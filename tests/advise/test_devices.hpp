// Devices, servers and requests for the tests of this room, by hand from published tables.
//
// Usable bytes of a time-sliced profile, in MiB: frame buffer - frame buffer / 16 - 16 - 128 / max,
// less another frame buffer / 16 where ECC costs memory (NVIDIA AI Enterprise, reserved frame
// buffer). 10C of an H100: 10240 - 640 - 16 - 16 = 9568 MiB = 10.03 GB.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "advise/advise.hpp"

namespace gpushape::advise::testing {

using namespace gpushape::domain;  // NOLINT(google-build-using-namespace): tests of its words

/// 10^9 bytes, as the rules count.
constexpr Bytes gb(double n) { return Bytes(static_cast<std::int64_t>(n * 1e9)); }

inline Profile time_sliced(const std::string& prefix, std::int64_t size, std::int64_t usable_mib,
                           std::int64_t max, std::int64_t max_mixed,
                           std::vector<std::int64_t> placements, bool is_full = false) {
  Profile profile;
  profile.short_name = std::to_string(size) + "C";
  profile.name = prefix + "-" + std::to_string(size) + "c";
  profile.type = prefix + "-" + profile.short_name;
  profile.technology = is_full ? Technology::FullVgpu : Technology::TimeSliced;
  profile.nominal_gib = size;
  profile.frame_buffer_bytes = gib(size);
  profile.usable_bytes = mib(usable_mib);
  profile.visible_bytes = exactly(mib(usable_mib));
  profile.max_per_gpu = max;
  profile.max_per_gpu_mixed = max_mixed;
  profile.placement_ids = std::move(placements);
  profile.placement_size = size;
  profile.is_full_size = is_full;
  profile.peer_to_peer = is_full;
  return profile;
}

inline Profile instance(Technology technology, const std::string& name,
                        const std::string& mig_profile, std::int64_t compute, std::int64_t memory,
                        std::int64_t usable_mib, std::int64_t max,
                        std::vector<std::int64_t> starts) {
  Profile profile;
  profile.name = name;
  profile.type = name;
  profile.short_name = technology == Technology::Mig ? mig_profile : name;
  profile.mig_profile = mig_profile;
  profile.technology = technology;
  profile.nominal_gib = memory * 10;
  profile.frame_buffer_bytes = gib(memory * 10);
  profile.usable_bytes = mib(usable_mib);
  profile.visible_bytes = exactly(mib(usable_mib));
  profile.max_per_gpu = max;
  profile.compute_slices = compute;
  profile.memory_slices = memory;
  profile.placement_ids = std::move(starts);
  profile.placement_size = memory;
  return profile;
}

/// 80 GB with seven compute and eight memory slices. MiB of the instances: nvidia-smi mig -lgip.
inline Device eighty(const std::string& id, const std::string& prefix, std::int64_t slice_mib,
                     std::int64_t two_mib, std::int64_t half_mib) {
  Device device;
  device.id = id;
  device.name = id;
  device.vendor = "nvidia";
  device.nominal_gb = 80;
  device.nvml_bytes = mib(81559);
  device.visible_bytes = exactly(gib_of(79.19));
  device.compute_capability = "9.0";
  device.supports_bf16 = true;
  device.supports_fp8 = true;
  device.supports_mig = true;
  device.supports_time_sliced = true;
  device.supports_mixed_size = true;
  device.mixed_region_gib = 80;
  device.mig_compute_slices = 7;
  device.mig_memory_slices = 8;
  device.mig_max_instances = 7;
  device.mmio_gib = 256;
  device.bar1_gib = 128;
  device.profiles = {
      time_sliced(prefix, 80, 76656, 1, 1, {0}, true),
      time_sliced(prefix, 40, 38320, 2, 2, {0, 40}),
      time_sliced(prefix, 20, 19152, 4, 4, {0, 20, 40, 60}),
      time_sliced(prefix, 16, 15318, 5, 4, {0, 24, 40, 64}),
      time_sliced(prefix, 10, 9568, 8, 8, {0, 10, 20, 30, 40, 50, 60, 70}),
      time_sliced(prefix, 8, 7651, 10, 8, {0, 12, 20, 32, 40, 52, 60, 72}),
      time_sliced(prefix, 4, 3817, 20, 16,
                  {0, 6, 10, 16, 20, 26, 30, 36, 40, 46, 50, 56, 60, 66, 70, 76}),
  };
  struct Row {
    const char* mig;
    const char* vgpu;
    std::int64_t compute, memory, usable_mib, max;
    std::vector<std::int64_t> starts;
  };
  for (const Row& row : std::vector<Row>{
           {"4g.40gb", "4-40c", 4, 4, half_mib, 1, {0}},
           {"3g.40gb", "3-40c", 3, 4, half_mib, 2, {0, 4}},
           {"2g.20gb", "2-20c", 2, 2, two_mib, 3, {0, 2, 4}},
           {"1g.20gb", "1-20c", 1, 2, two_mib, 4, {0, 2, 4, 6}},
           {"1g.10gb", "1-10c", 1, 1, slice_mib, 7, {0, 1, 2, 3, 4, 5, 6}},
       }) {
    device.profiles.push_back(instance(Technology::Mig, row.mig, row.mig, row.compute, row.memory,
                                       row.usable_mib, row.max, row.starts));
    device.profiles.push_back(instance(Technology::MigBackedVgpu, prefix + "-" + row.vgpu, row.mig,
                                       row.compute, row.memory, row.usable_mib, row.max,
                                       row.starts));
  }
  return device;
}

inline Device h100() { return eighty("h100-sxm-80", "nvidia_h100xm", 9984, 20096, 40448); }
inline Device a100() {
  Device device = eighty("a100-sxm4-80", "grid_a100dx", 9856, 19968, 40192);
  device.compute_capability = "8.0";
  device.supports_fp8 = false;
  return device;
}
inline Device a100_pcie() {
  Device device = eighty("a100-pcie-80", "grid_a100d", 9856, 19968, 40192);
  device.compute_capability = "8.0";
  device.supports_fp8 = false;
  return device;
}

/// 48 GB, ECC outside high-bandwidth memory, no MIG, no NVLink.
inline Device l40s() {
  Device device;
  device.id = "l40s";
  device.name = "NVIDIA L40S";
  device.vendor = "nvidia";
  device.nominal_gb = 48;
  device.nvml_bytes = mib(46068);
  device.visible_bytes = exactly(gib_of(44.52));
  device.compute_capability = "8.9";
  device.supports_bf16 = true;
  device.supports_fp8 = true;
  device.supports_time_sliced = true;
  device.supports_mixed_size = true;
  device.mixed_region_gib = 48;
  device.mmio_gib = 128;
  const std::string prefix = "nvidia_l40s";
  device.profiles = {
      time_sliced(prefix, 48, 42864, 1, 1, {0}, true),
      time_sliced(prefix, 24, 21424, 2, 2, {0, 24}),  // 24576 - 1536 - 1536 - 16 - 64
      time_sliced(prefix, 16, 14277, 3, 2, {0, 32}),
      time_sliced(prefix, 12, 10704, 4, 4, {0, 12, 24, 36}),
      time_sliced(prefix, 8, 7131, 6, 4, {0, 16, 24, 40}),
      time_sliced(prefix, 6, 5344, 8, 8, {0, 6, 12, 18, 24, 30, 36, 42}),
      time_sliced(prefix, 4, 3557, 12, 8, {0, 8, 12, 20, 24, 32, 36, 44}),
  };
  return device;
}

/// Two sockets of 52 cores, 2 TiB; `domain` GPUs to a link domain, 1 for none.
inline Host server(const Device& device, int gpus, int domain) {
  Host host;
  host.name = "test-server";
  host.sockets = 2;
  host.cores_per_socket = 52;
  host.base_mhz = 2000;
  host.memory_bytes = gib(2048);
  for (int i = 0; i < gpus; ++i) {
    host.gpus.push_back({.id = "gpu" + std::to_string(i),
                         .device = device.id,
                         .numa_node = i * 2 / gpus,
                         .link_domain = domain > 1 ? i / domain : -1,
                         .pcie_switch = {}});
  }
  host.release = "8.0 U3";
  host.hardware_version = 21;
  host.vmotion_gigabits_per_second = 100;
  host.source = "the server of the tests";
  return host;
}

inline Wish wish_for(const Device& device, int gpus = 8, int domain = 8) {
  Wish wish;
  wish.device = device;
  wish.host = server(device, gpus, domain);
  return wish;
}

/// A demand with the defaults of the published cases: spread 1.2, 32 in flight, one tenant.
inline AdviceRequest demand(const Device& device, Demand memory, Evidence evidence = Evidence::E2) {
  AdviceRequest request;
  request.workload.demand = std::move(memory);
  request.workload.evidence = {evidence, Origin::File, "case"};
  request.workload.spread = Fact<double>{1.2, Origin::File, "case"};
  request.workload.concurrency = Fact<std::int64_t>{32, Origin::File, "case"};
  const bool is_linked = device.id != "l40s";
  request.wishes = {wish_for(device, is_linked ? 8 : 4, is_linked ? 8 : 1)};
  return request;
}

inline AdviceRequest ceiling(const Device& device, double gigabytes,
                             Evidence evidence = Evidence::E2) {
  Demand memory;
  memory.ceiling_bytes = gb(gigabytes);
  return demand(device, memory, evidence);
}

template <class T>
Fact<T> declared(T value) {
  return {.value = std::move(value), .origin = Origin::Flag, .from = "test"};
}

inline bool names(const std::vector<Reason>& reasons, const std::string& id) {
  return std::ranges::find(reasons, id, &Reason::rule) != reasons.end();
}

inline std::string text_of(const std::vector<Reason>& reasons, const std::string& id) {
  for (const Reason& reason : reasons) {
    if (reason.rule == id) return reason.says;
  }
  return "(none)";
}

}  // namespace gpushape::advise::testing
