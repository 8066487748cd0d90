// Which few profile sizes serve a mix of workloads on one GPU model, and how many GPUs in which
// mode that takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/device.hpp"

namespace gpushape::domain {

/// One workload of the mix.
struct MixItem {
  std::string name;
  Bytes need_bytes;  ///< of one copy, on one GPU
  std::int64_t copies = 1;
  bool is_whole = false;        ///< takes whole devices: full, passthrough or several GPUs
  std::int64_t gpus = 1;        ///< of one copy, where it is whole
  bool needs_instance = false;  ///< another tenant must not be able to affect it: MIG or whole

  bool operator==(const MixItem&) const = default;
};

/// One size of the plan and what it is for.
struct PlannedSize {
  std::string profile;      ///< short name
  std::int64_t copies = 0;  ///< that the mix needs
  std::vector<std::string> items;
  std::string type = {};  ///< the driver's name of it, for tools that set GPUs up

  bool operator==(const PlannedSize&) const = default;
};

struct PlannedShare {
  std::string profile;
  int start = 0;
  int size = 0;

  bool operator==(const PlannedShare&) const = default;
};

/// GPUs that are set up alike.
struct PlannedGpus {
  GpuMode mode = GpuMode::Mig;
  std::int64_t count = 1;
  std::vector<PlannedShare> shares;  ///< by start
  int length = 0;                    ///< of the placement axis: GB, or memory slices
  Bytes free_bytes;                  ///< that more copies of the plan's sizes can use
  Bytes stranded_bytes;              ///< that none of them can

  bool operator==(const PlannedGpus&) const = default;
};

/// One way to serve the mix.
struct ProfilePlan {
  std::string device;
  GpuMode mode = GpuMode::Mig;     ///< of the GPUs that are shared; single items may need another
  std::string refusal;             ///< why it cannot be; empty where it can
  std::vector<PlannedSize> sizes;  ///< largest first; "whole" for devices that are not shared
  std::vector<PlannedGpus> gpus;
  std::int64_t devices = 0;
  std::int64_t least_devices = 0;  ///< a bound from below, of these sizes or any
  bool is_proven = false;          ///< no fewer devices do in this mode
  Bytes stranded_bytes;
  Bytes surplus_bytes;  ///< given to copies beyond their need
  std::vector<std::string> notes;

  bool operator==(const ProfilePlan&) const = default;
};

}  // namespace gpushape::domain
