// Which GPU of a host the placement engine takes for a VM, and where on it, as vSphere's assignment
// policies and the vGPU and MIG drivers do.
#pragma once

#include "place/policies.hpp"

namespace gpushape::place {

enum class Assignment { FewestVms, MostVms };

struct DeviceChoice {
  Option option;
  bool is_whole = false;  ///< the request takes whole devices of this host
};

/// The host is compatible. `assignment` applies to same-size mode alone.
DeviceChoice choose_device(const PolicyQuestion& question, Assignment assignment);

/// Of the options, the one that destroys the fewest domains that are still free, the largest
/// domains counted first; then the lowest GPUs.
Option least_destructive(const HostRow& row, std::span<const Option> options);

}  // namespace gpushape::place
