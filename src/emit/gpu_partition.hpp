// How cards are cut on nodes: what mig-parted, the vGPU device manager, the device plugin and the
// GPU operator are told of a shape.
#pragma once

#include <string>

#include "base/result.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

/// The configuration files, and the name under which a node label selects each.
struct Partition {
  std::string name;  ///< "h100-sxm-80-3g-40gb"
  document::Node document;
};

Result<Partition> mig_parted(const EmitRequest& request);
Result<Partition> vgpu_devices(const EmitRequest& request);
Result<Partition> device_plugin(const EmitRequest& request);

}  // namespace gpushape::emit
