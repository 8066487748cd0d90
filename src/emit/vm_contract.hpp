// The contract as vSphere takes it: what the VM class, the VM, the VI API's spec and Terraform have
// in common.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

/// Names, and whether vSphere delivers every picked shape; `target` is named in refusals.
Diagnostics check_vm_request(const EmitRequest& request, std::string_view target);

/// The class API that a vCenter release serves, "v1alpha2"; empty: what every one serves.
Result<std::string_view> served_version(const std::string& release);

/// A VirtualMachineConfigSpec in govmomi's JSON form, without processors and memory, which a class
/// says elsewhere.
document::Node config_spec(const domain::ResourceContract& contract, const domain::Device& device,
                           const Commenter& comment);

/// What VM Service writes by itself for a VM with PCI devices; a class never goes below (VM
/// Operator, pkg/constants: PCIPassthruMMIOSizeDefault).
inline constexpr std::int64_t kDefaultMmioGib = 512;

std::int64_t hardware_version(const domain::ResourceContract& contract);

}  // namespace gpushape::emit
