#include "domain/release_needs.hpp"

#include <algorithm>

namespace gpushape::domain {
namespace {

constexpr const char* kBlog =
    "F. Denneman, vSphere 8.0 U1 enhancements for accelerating machine learning workloads";

/// vSphere knows NVSwitch systems one generation of GPUs after another.
std::string nvswitch_release(const std::string& architecture) {
  if (architecture == "ampere") return "ESXi 8.0 U1";
  if (architecture == "hopper") return "ESXi 8.0 U2";
  if (architecture == "blackwell") return "ESXi 9.0 with the Fabric Manager appliance";
  return "";
}

}  // namespace

std::vector<ReleaseNeed> release_needs(const Device& device) {
  std::vector<ReleaseNeed> needs;
  const bool has_vgpu = device.supports_time_sliced;
  if (has_vgpu) {
    needs.push_back({"a vGPU or passthrough", "VM hardware version 17, EFI firmware",
                     "VM Service; NVIDIA AI Enterprise, 64-bit MMIO and EFI boot"});
  }
  if (device.supports_mixed_size) {
    needs.push_back({"vGPUs of mixed sizes", "ESXi 8.0 U3, a best-effort or equal-share scheduler",
                     "vSphere 8.0 U3 release notes; NVIDIA AI Enterprise 5.1 user guide"});
  }
  const bool has_groups = std::ranges::any_of(
      device.profiles, [](const Profile& profile) { return profile.peer_to_peer; });
  if (has_vgpu && has_groups && device.nvlink.max_domain > 1) {
    const bool is_switched = device.nvlink.kind.find("nvswitch") != std::string::npos;
    const std::string release = is_switched ? nvswitch_release(device.architecture) : "";
    needs.push_back(
        {"a device group",
         (release.empty() ? std::string("ESXi 8.0") : release) + ", VM hardware version 20",
         std::string(kBlog) + "; NVIDIA AI Enterprise 8, peer-to-peer"});
  }
  const bool has_shared_instances = std::ranges::any_of(
      device.profiles, [](const Profile& profile) { return profile.max_per_instance > 1; });
  if (has_shared_instances) {
    needs.push_back({"vGPUs that take turns in one MIG instance", "NVIDIA AI Enterprise 8",
                     "NVIDIA AI Enterprise 8, Blackwell types"});
  }
  if (device.partition_dies > 0) {
    needs.push_back({"partitions",
                     "bare metal or a Linux host with the amdgpu driver; set with "
                     "amd-smi while nothing runs",
                     "AMD Instinct documentation, GPU partitioning"});
  }
  return needs;
}

}  // namespace gpushape::domain
