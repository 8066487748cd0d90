// What NVIDIA's DRA driver publishes for a device, and the CEL that selects just that.
//
// The driver runs where the pod runs: inside a VM it publishes the vGPU that the guest sees, not
// the card of the host. An attribute that a device lacks is a run-time error which makes the whole
// claim unallocatable on that node, so that every expression asks first. Sources: driver
// cmd/gpu-kubelet-plugin (deviceinfo.go), published ResourceSlices of VKS, EKS, GKE, OpenShift.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/advice.hpp"
#include "domain/device.hpp"
#include "domain/shape.hpp"

namespace gpushape::emit {

struct Condition {
  std::string expression;  ///< CEL, true for the devices meant
  std::string why;

  bool operator==(const Condition&) const = default;
};

struct DeviceSelector {
  std::string device_class;  ///< "gpu.nvidia.com"
  std::vector<Condition> conditions;
  std::string caveat;  ///< what no published listing shows; empty where one does

  bool operator==(const DeviceSelector&) const = default;
};

/// Which devices a claim for `shape` means. What the driver does not publish as a device (a share
/// by MPS or by software, another vendor's GPU) is refused.
Result<DeviceSelector> select_published(const domain::Shape& shape, const domain::Device& device,
                                        const domain::Profile* profile, domain::Platform platform);

}  // namespace gpushape::emit
