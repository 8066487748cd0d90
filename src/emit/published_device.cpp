#include "emit/published_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "domain/profile_memory.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

using domain::Device;
using domain::Platform;
using domain::Profile;
using domain::Shape;
using domain::Technology;

namespace {

constexpr std::string_view kAttributes = "device.attributes['gpu.nvidia.com']";
constexpr std::string_view kCapacity = "device.capacity['gpu.nvidia.com']";

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// `test` on an attribute, where the device has it.
std::string guarded(std::string_view map, std::string_view name, std::string_view test) {
  return fmt::format("'{1}' in {0} && {0}.{1}{2}", map, name, test);
}

Condition attribute_is(std::string_view name, std::string_view value, std::string why) {
  return {guarded(kAttributes, name, fmt::format(" == {}", quoted(value))), std::move(why)};
}

Condition attribute_is_one_of(std::string_view name, const std::vector<std::string>& values,
                              std::string why) {
  if (values.size() == 1) return attribute_is(name, values.front(), std::move(why));
  std::string list;
  for (const std::string& value : values) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", quoted(value));
  }
  return {guarded(kAttributes, name, fmt::format(" in [{}]", list)), std::move(why)};
}

/// A capacity is a Quantity and is compared by compareTo, never by an operator.
Condition memory_at_least(Bytes bytes, std::string why) {
  return {guarded(kCapacity, "memory",
                  fmt::format(".compareTo(quantity('{}')) >= 0", quantity_at_most(bytes))),
          std::move(why)};
}

/// How much a whole device publishes at least: NVML's total, or the least that a process sees.
Bytes published_bytes(const Device& device) {
  return device.nvml_bytes ? *device.nvml_bytes : device.visible_bytes.low;
}

std::string mib_text(Bytes bytes) { return fmt::format("{}Mi", bytes / mib(1)); }

/// What driver releases keep for themselves differs: an A100-SXM4-40GB shows 40536 MiB under
/// driver 450 and 40960 MiB under 525. The nearest smaller card is far below this.
constexpr std::int64_t kDriverPart = 50;  // 2 %

Condition whole_memory(const Device& device) {
  const Bytes published = published_bytes(device);
  return memory_at_least(
      published - published / kDriverPart,
      fmt::format("{} of {}, less 2 % that drivers differ by, rounded down", mib_text(published),
                  device.nvml_bytes ? "NVML" : "CUDA at least"));
}

/// The physical product, or its compute capability where no source shows the name it publishes.
Condition physical_product(const Device& device) {
  if (!device.product_names.empty()) {
    return attribute_is_one_of("productName", device.product_names, "as NVML prints it");
  }
  // Published as a semantic version: 9.0.0.
  const std::string test =
      fmt::format(".compareTo(semver('{}.0')) == 0", device.compute_capability);
  return {guarded(kAttributes, "cudaComputeCapability", test), "no source shows its product name"};
}

/// How much a profile publishes at least.
Bytes published_bytes(const Profile& profile) {
  const Bytes seen = profile.visible_bytes.low;
  return seen > Bytes(0) ? std::min(profile.frame_buffer_bytes, seen) : profile.frame_buffer_bytes;
}

DeviceSelector in_vgpu_guest(const Profile& profile) {
  DeviceSelector selector{.device_class = "gpu.nvidia.com", .conditions = {}, .caveat = {}};
  selector.conditions = {
      attribute_is("productName", domain::guest_product(profile), "what the guest publishes"),
      memory_at_least(published_bytes(profile),
                      fmt::format("frame buffer {}; at least what a process sees, rounded down",
                                  mib_text(profile.frame_buffer_bytes))),
  };
  if (profile.technology == Technology::MigBackedVgpu) {
    selector.caveat =
        "no published listing shows a guest with a MIG-backed vGPU: compare with "
        "`kubectl get resourceslices`";
  }
  return selector;
}

DeviceSelector mig_instance(const Profile& profile, const Device& device) {
  return {.device_class = "mig.nvidia.com",
          .conditions = {attribute_is("profile", profile.short_name,
                                      "a MIG instance publishes its profile"),
                         physical_product(device),
                         memory_at_least(published_bytes(profile),
                                         fmt::format("{} of its tables, rounded down",
                                                     mib_text(profile.frame_buffer_bytes)))},
          .caveat = {}};
}

DeviceSelector whole_device(const Device& device) {
  DeviceSelector selector{.device_class = "gpu.nvidia.com",
                          .conditions = {physical_product(device), whole_memory(device)},
                          .caveat = {}};
  if (device.product_names.empty()) {
    const std::string test = fmt::format(".compareTo(quantity('{}Gi')) <= 0", device.nominal_gb);
    selector.conditions.push_back(
        {guarded(kCapacity, "memory", test), "NVML never prints more than the name says"});
  }
  return selector;
}

/// A card that is handed to a VM on a Kubernetes node: no memory is published for it, only the size
/// of its BAR.
Result<DeviceSelector> vfio_device(const Device& device) {
  DeviceSelector selector{.device_class = "vfio.gpu.nvidia.com",
                          .conditions = {},
                          .caveat = "the driver's PassthroughSupport gate is off by default"};
  if (!device.product_names.empty()) {
    selector.conditions = {
        attribute_is_one_of("productName", device.product_names, "as NVML prints it")};
    return selector;
  }
  if (device.pci_devices.empty()) {
    return failure(fmt::format("resource-claim cannot select {}: neither its product name nor its "
                               "PCI ids are known",
                               device.id),
                   "give them in an overlay profile (--profiles-dir)");
  }
  std::vector<std::string> ids;
  ids.reserve(device.pci_devices.size());
  for (const std::string& id : device.pci_devices) ids.push_back("0x" + id);
  selector.conditions = {attribute_is_one_of("deviceID", ids, "PCI device id")};
  return selector;
}

}  // namespace

Result<DeviceSelector> select_published(const Shape& shape, const Device& device,
                                        const Profile* profile, Platform platform) {
  if (device.vendor != "nvidia") {
    return failure(fmt::format("resource-claim cannot express {}: the device classes are of "
                               "NVIDIA's DRA driver, and its vendor is {}",
                               device.id, device.vendor),
                   "`-o contract` can");
  }
  const bool is_guest = platform == Platform::Vsphere || platform == Platform::Vks;
  switch (shape.technology) {
    case Technology::TimeSliced:
    case Technology::FullVgpu:
    case Technology::MigBackedVgpu:
      return in_vgpu_guest(*profile);
    case Technology::Mig:
      return mig_instance(*profile, device);
    case Technology::WholeGpu:
      return whole_device(device);
    case Technology::Passthrough:
      // The guest of a VM that owns the card sees the card.
      return is_guest ? Result<DeviceSelector>(whole_device(device)) : vfio_device(device);
    case Technology::Mps:
    case Technology::SoftwareShare:
    case Technology::Partition:  // AMD's, refused above
      break;
  }
  return failure(fmt::format("resource-claim cannot express {} on {}: the driver publishes whole "
                             "GPUs and MIG instances, not shares made by processes",
                             name_of(shape.technology), shape.device),
                 "`-o contract` can, or ask for --technology mig or whole-gpu");
}

}  // namespace gpushape::emit
