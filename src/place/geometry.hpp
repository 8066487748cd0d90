// Where the shares of one device may lie: sizes, legal starts and limits of every profile, in the
// units of its two placement axes (GB for time-sliced profiles, memory slices for MIG). Made from a
// Device's profile table; the rest of the room sees only this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/device.hpp"

namespace gpushape::place {

struct ProfileGeometry {
  std::string name;                  ///< short name, "40C" or "3g.40gb"
  std::vector<std::string> aliases;  ///< host's names, and the vGPU types that own this instance
  domain::GpuUse use = domain::GpuUse::TimeSliced;
  int size = 0;               ///< GB, or memory slices
  std::vector<int> starts;    ///< mixed-size or MIG; empty: such placements are not published
  int max = 0;                ///< per GPU: in same-size mode, or of this MIG profile
  int compute = 0;            ///< compute slices (MIG)
  bool is_partition = false;  ///< of an AMD GPU: all partitions of it are alike

  bool operator==(const ProfileGeometry&) const = default;
};

/// A vGPU type of which several take turns inside one MIG instance.
struct SharedInstance {
  std::string name;                  ///< short, "DC-4-24C"
  std::vector<std::string> aliases;  ///< host's name, driver's type
  std::string instance;              ///< short name of the MIG profile
  int per_instance = 1;

  bool operator==(const SharedInstance&) const = default;
};

struct DeviceGeometry {
  std::string id;
  int memory_gb = 0;
  int mig_slices = 0;  ///< length of the MIG axis; 0: no MIG
  int mig_compute = 0;
  std::vector<ProfileGeometry> profiles;
  std::vector<SharedInstance> shared_instances = {};

  /// Position of a profile among `profiles`, by name or alias; -1 where the device has none.
  [[nodiscard]] int find(domain::GpuUse use, std::string_view name) const;
  /// A time-sliced profile as large as the device: the whole of it, as passthrough is.
  [[nodiscard]] bool is_whole(const ProfileGeometry& profile) const {
    return profile.use == domain::GpuUse::TimeSliced && profile.size == memory_gb;
  }
  /// What one copy of a profile takes of the device, 0 to 1.
  [[nodiscard]] double share(const ProfileGeometry& profile) const;

  bool operator==(const DeviceGeometry&) const = default;
};

DeviceGeometry geometry_of(const domain::Device& device);

}  // namespace gpushape::place
