// What a use of a GPU needs of releases: of ESXi, of a VM's hardware version, of the driver.
#pragma once

#include <string>
#include <vector>

#include "domain/device.hpp"

namespace gpushape::domain {

struct ReleaseNeed {
  std::string use;    ///< "vGPUs of mixed sizes"
  std::string needs;  ///< "ESXi 8.0 U3"
  std::string source;

  bool operator==(const ReleaseNeed&) const = default;
};

/// Of the device as a whole; what single rows of its table need stands in
/// Profile::requires_release.
std::vector<ReleaseNeed> release_needs(const Device& device);

}  // namespace gpushape::domain
