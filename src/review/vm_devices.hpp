// Devices of VMs by the names that vSphere has for them.
#pragma once

#include <span>
#include <string>

#include "review/vm_class.hpp"

namespace gpushape::review {

/// A vGPU by the name of its profile, `product` filled in where the tables know it.
VmDevice vgpu_device(std::string profile, const document::Node& node,
                     std::span<const domain::Device> devices);

}  // namespace gpushape::review
