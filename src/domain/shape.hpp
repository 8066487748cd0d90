// A consumption model made concrete: device, profile, count and links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/device.hpp"
#include "domain/workload.hpp"

namespace gpushape::domain {

struct Shape {
  ConsumptionModel consumption_model = ConsumptionModel::Full;
  Technology technology = Technology::FullVgpu;
  std::string device;         ///< device id
  std::string profile;        ///< host's profile name; empty for passthrough and whole-gpu
  std::string profile_short;  ///< "40C"; empty as above
  std::int64_t count = 1;     ///< devices of one instance, on all of its hosts together
  std::int64_t nodes = 1;     ///< hosts that one instance spans, each with as many devices
  std::string interconnect;   ///< "nvswitch", "nvlink-bridge", "pcie", "none"
  std::string device_group;   ///< "Nvidia:2@nvidia_h100xm-80c%NVLink"; empty where there is none
  Parallelism parallelism;
  bool is_mixed_size = false;  ///< time-sliced in mixed-size mode
  double compute_share =
      1;               ///< of one device: nominal share for time-sliced, instance share for MIG
  Bytes memory_bytes;  ///< usable, of one device or share

  bool operator==(const Shape&) const = default;
};

}  // namespace gpushape::domain
