#include "review/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "domain/profile_memory.hpp"

namespace gpushape::review {

using domain::Device;
using domain::Profile;
using domain::Technology;

namespace {

struct ClassRow {
  std::string_view name;
  std::string_view type;
};
/// deployments/helm/dra-driver-nvidia-gpu/templates/deviceclass-*.yaml
constexpr auto kDriverClasses = std::to_array<ClassRow>({
    {"gpu.nvidia.com", "gpu"},
    {"mig.nvidia.com", "mig"},
    {"vfio.gpu.nvidia.com", "vfio"},
});

/// go-nvlib, device.GetArchitectureAsString.
cel::Value architecture_name(const Device& device) {
  if (device.architecture == "ada") return cel::string("Ada Lovelace");
  if (device.architecture.empty() || device.architecture == "rubin") return cel::unknown();
  std::string name = device.architecture;
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return cel::string(std::move(name));
}

/// "Nvidia" on every card of a data centre that has been seen; GeForce and RTX say otherwise.
cel::Value brand_name(const Device& device) {
  if (device.name.contains("GeForce")) return cel::string("GeForce");
  if (device.name.contains("RTX") || device.name.contains("GB10")) return cel::unknown();
  return cel::string("Nvidia");
}

void add_unknown(cel::PublishedDevice& device, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) device.attribute(name, cel::unknown());
}

void add_common(cel::PublishedDevice& published, const Device& device, std::string_view type) {
  published.attribute("type", cel::string(std::string(type)));
  published.attribute("architecture", architecture_name(device));
  published.attribute("cudaComputeCapability", device.compute_capability.empty()
                                                   ? cel::unknown()
                                                   : cel::semver(device.compute_capability + ".0"));
  add_unknown(published, {"driverVersion", "cudaDriverVersion", "addressingMode",
                          "resource.kubernetes.io/pciBusID", "resource.kubernetes.io/pcieRoot",
                          "resource.kubernetes.io/numaNode"});
}

// The driver has them where instances are made on demand (DynamicMIG), and for each instance.
void add_engines(cel::PublishedDevice& published, std::optional<std::int64_t> multiprocessors) {
  for (const std::string_view name :
       {"copyEngines", "decoders", "encoders", "jpegEngines", "ofaEngines"}) {
    published.capacity(name, cel::unknown());
  }
  published.capacity("multiprocessors", multiprocessors
                                            ? cel::quantity(static_cast<double>(*multiprocessors))
                                            : cel::unknown());
}

cel::Value memory_of(Bytes bytes) { return cel::quantity(static_cast<double>(bytes.count())); }

PublishedGpu whole(const Device& device, const std::string* product) {
  PublishedGpu gpu{cel::PublishedDevice(device.id, kNvidiaDriver), "gpu", false, &device, nullptr};
  add_common(gpu.device, device, "gpu");
  gpu.device.attribute("productName", product == nullptr ? cel::unknown() : cel::string(*product));
  gpu.device.attribute("brand", brand_name(device));
  add_unknown(gpu.device,
              {"uuid", "gpuModuleID", "partition1", "partition2", "partition4", "partition8"});
  gpu.device.capacity("memory", device.nvml_bytes ? memory_of(*device.nvml_bytes) : cel::unknown());
  if (device.supports_mig) add_engines(gpu.device, std::nullopt);
  return gpu;
}

PublishedGpu instance(const Device& device, const Profile& profile, const std::string* product) {
  PublishedGpu gpu{
      cel::PublishedDevice(fmt::format("{} {}", device.id, profile.short_name), kNvidiaDriver),
      "mig", false, &device, &profile};
  add_common(gpu.device, device, "mig");
  gpu.device.attribute("productName", product == nullptr ? cel::unknown() : cel::string(*product));
  gpu.device.attribute("brand", brand_name(device));
  gpu.device.attribute("profile", cel::string(profile.short_name));
  add_unknown(gpu.device, {"uuid", "parentUUID"});
  gpu.device.capacity("memory", profile.frame_buffer_is_published
                                    ? memory_of(profile.frame_buffer_bytes)
                                    : cel::unknown());
  add_engines(gpu.device, profile.multiprocessors);
  for (int slice = 0; slice < 8; ++slice) {
    gpu.device.capacity(fmt::format("memorySlice{}", slice), cel::unknown());
  }
  return gpu;
}

PublishedGpu guest(const Device& device, const Profile& profile) {
  PublishedGpu gpu{cel::PublishedDevice(fmt::format("{} (vGPU)", profile.name), kNvidiaDriver),
                   "gpu", true, &device, &profile};
  add_common(gpu.device, device, "gpu");
  gpu.device.attribute("productName", cel::string(domain::guest_product(profile)));
  gpu.device.attribute("brand", cel::string("NvidiaVCS"));
  add_unknown(gpu.device, {"uuid"});
  // No published listing shows a guest with a MIG-backed vGPU.
  gpu.device.capacity("memory", profile.technology == Technology::MigBackedVgpu
                                    ? cel::unknown()
                                    : memory_of(profile.frame_buffer_bytes));
  return gpu;
}

PublishedGpu card(const Device& device, const std::string* product) {
  PublishedGpu gpu{cel::PublishedDevice(device.id + " (passthrough)", kNvidiaDriver), "vfio", false,
                   &device, nullptr};
  gpu.device.attribute("type", cel::string("vfio"));
  gpu.device.attribute("productName", product == nullptr ? cel::unknown() : cel::string(*product));
  gpu.device.attribute("vendorID", cel::string("0x" + device.pci_vendor));
  gpu.device.attribute("deviceID", device.pci_devices.size() == 1
                                       ? cel::string("0x" + device.pci_devices.front())
                                       : cel::unknown());
  add_unknown(gpu.device, {"uuid", "numa", "iommuFDEnabled", "resource.kubernetes.io/numaNode",
                           "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/pciBusID"});
  gpu.device.capacity("addressableMemory", cel::unknown());
  return gpu;
}

}  // namespace

std::vector<PublishedGpu> published_gpus(std::span<const Device> devices) {
  std::vector<PublishedGpu> gpus;
  for (const Device& device : devices) {
    if (device.vendor != "nvidia") continue;
    std::vector<const std::string*> products;
    for (const std::string& name : device.product_names) products.push_back(&name);
    if (products.empty()) products.push_back(nullptr);
    for (const std::string* product : products) {
      gpus.push_back(whole(device, product));
      gpus.push_back(card(device, product));
      for (const Profile& profile : device.profiles) {
        if (profile.technology == Technology::Mig)
          gpus.push_back(instance(device, profile, product));
      }
    }
    for (const Profile& profile : device.profiles) {
      if (profile.technology != Technology::Mig) gpus.push_back(guest(device, profile));
    }
  }
  return gpus;
}

std::optional<std::string_view> type_of_class(std::string_view device_class) {
  const auto found = std::ranges::find(kDriverClasses, device_class, &ClassRow::name);
  if (found == kDriverClasses.end()) return std::nullopt;
  return found->type;
}

}  // namespace gpushape::review
