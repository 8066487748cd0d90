// What a release of vSphere allows one VM, and what is left to say about the VM's life: section 4
// of vm-contract.md, and rules LC-01 to LC-04.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "advise/contract_steps.hpp"
#include "domain/release.hpp"

namespace gpushape::advise {

using domain::Release;
using domain::ResourceContract;
using domain::Technology;

namespace {

/// Limits of one VM, from a release on. 0: no published figure.
/// Sources: vSphere hardware version tables; Broadcom KB 309986 (passthrough devices); vSphere
/// documentation (vGPUs). For VCF 9 no count of devices is published.
struct ReleaseLimits {
  Release since;
  std::int64_t hardware_version = 0;
  std::int64_t passthrough_devices = 0;
  std::int64_t vgpus = 0;
};
constexpr auto kReleaseLimits = std::to_array<ReleaseLimits>({
    {{7, 0, 0}, 17, 16, 4},
    {{7, 0, 1}, 18, 16, 4},
    {{7, 0, 2}, 19, 16, 4},
    {{8, 0, 0}, 20, 32, 8},
    {{8, 0, 1}, 20, 64, 8},
    {{8, 0, 2}, 21, 128, 16},
    {{9, 0, 0}, 22, 0, 0},
});

/// By hardware version, from a version on.
struct HardwareLimits {
  std::int64_t since = 0;
  std::int64_t vcpus = 0;
  Bytes memory;
};
constexpr Bytes kMostMemory = gib(24'560);
constexpr auto kHardwareLimits = std::to_array<HardwareLimits>({
    {18, 768, kMostMemory},
    {22, 960, kMostMemory},
});

constexpr std::int64_t kHardwareOfGpus = 17;      ///< vGPU or passthrough through VM Service
constexpr std::int64_t kHardwareOfTopology = 20;  ///< virtual topology, devices on its nodes
constexpr std::int64_t kHardwareOfWideSockets = 20;
constexpr std::int64_t kMostCoresPerSocket = 256;  ///< hardware version 20

bool is_virtual(const ResourceContract& contract) {
  return contract.shape.technology != Technology::WholeGpu;
}

const ReleaseLimits* limits_of(const std::optional<Release>& release) {
  if (!release) return nullptr;
  const ReleaseLimits* found = nullptr;
  for (const ReleaseLimits& row : kReleaseLimits) {
    if (row.since <= *release) found = &row;
  }
  return found;
}

const HardwareLimits* limits_of(std::int64_t hardware_version) {
  const HardwareLimits* found = nullptr;
  for (const HardwareLimits& row : kHardwareLimits) {
    if (row.since <= hardware_version) found = &row;
  }
  return found;
}

std::int64_t least_hardware_version(const ResourceContract& contract) {
  std::int64_t least = kHardwareOfGpus;
  if (contract.numa || !contract.shape.device_group.empty()) least = kHardwareOfTopology;
  for (const HardwareLimits& row : kHardwareLimits) {
    if (contract.vcpus <= row.vcpus) break;
    const auto* next = &row + 1;
    if (next != kHardwareLimits.end()) least = std::max(least, next->since);
  }
  return least;
}

void check_hardware(const domain::Host& host, ResourceContract& contract) {
  const std::int64_t version = contract.hardware_version;
  if (version < contract.least_hardware_version) {
    note(contract, "VC-05",
         fmt::format("{} offers hardware version {}, the contract needs {}: {}", host.name, version,
                     contract.least_hardware_version,
                     contract.numa ? "before 20 a topology is written with numa.consolidate and "
                                     "cpuid.coresPerSocket"
                                   : "raise it at the next power-off"));
  }
  const HardwareLimits* limits = limits_of(version);
  if (limits == nullptr) return;
  if (contract.vcpus > limits->vcpus) {
    note(contract, "VC-05",
         fmt::format("{} vCPU are more than the {} of hardware version {}", contract.vcpus,
                     limits->vcpus, version));
  }
  if (contract.memory_bytes > limits->memory) {
    note(contract, "VC-05",
         fmt::format("{} of memory are more than the {} of hardware version {}",
                     gib_text(contract.memory_bytes), gib_text(limits->memory), version));
  }
  if (contract.numa && version >= kHardwareOfWideSockets &&
      contract.numa->cores_per_socket > kMostCoresPerSocket) {
    note(contract, "VC-05",
         fmt::format("{} cores in a virtual socket are more than the {} of hardware version {}",
                     contract.numa->cores_per_socket, kMostCoresPerSocket, version));
  }
}

void check_devices(const domain::Host& host, const ReleaseLimits* release,
                   ResourceContract& contract) {
  const bool is_passthrough = contract.shape.technology == Technology::Passthrough;
  std::int64_t most = 0;
  if (release != nullptr) most = is_passthrough ? release->passthrough_devices : release->vgpus;
  if (!is_passthrough && host.vgpus_per_vm) most = *host.vgpus_per_vm;
  const std::string_view kind = is_passthrough ? "passthrough devices" : "vGPUs";
  if (most > 0 && contract.shape.count > most) {
    note(contract, "VC-12",
         fmt::format("{} {} in one VM are more than the {} of {}", contract.shape.count, kind, most,
                     host.release));
  }
  if (most == 0 && contract.shape.count > 1) {
    note(contract, "VC-12",
         fmt::format("how many {} one VM may have under {} is not published: read it from the "
                     "host's configuration options ({} are asked for)",
                     kind, host.release, contract.shape.count));
  }
}

}  // namespace

void check_limits(const ContractBasis& basis, ResourceContract& contract) {
  const domain::Host& host = basis.host;
  if (!is_virtual(contract)) return;
  const ReleaseLimits* release = limits_of(domain::parse_release(host.release));
  contract.least_hardware_version = least_hardware_version(contract);
  contract.hardware_version = host.hardware_version;
  if (contract.hardware_version == 0 && release != nullptr) {
    contract.hardware_version = release->hardware_version;
  }
  if (host.release.empty() && contract.hardware_version == 0) return;
  if (contract.hardware_version == 0) {
    note(contract, "limits",
         fmt::format("limits of one VM are not checked: release '{}' of {} is not known",
                     host.release, host.name));
    return;
  }
  check_hardware(host, contract);
  check_devices(host, release, contract);
}

}  // namespace gpushape::advise
