// The contract: the shape plus the CPU, memory and NUMA guarantees that go with it. The only thing
// that passes from advice to placement. Formulas: vm-contract.md, sections 1 to 4; every clamp,
// default and threshold that decided a value is a ContractNote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/shape.hpp"
#include "domain/workload.hpp"

namespace gpushape::domain {

struct ContractNote {
  std::string id;  ///< rule ("VC-16", "LC-02") or step ("step-1")
  std::string says;

  bool operator==(const ContractNote&) const = default;
};

/// A device's place in the guest's topology; only with an explicit topology.
struct DeviceNode {
  std::int64_t device = 0;  ///< position among the VM's devices
  std::int64_t node = 0;    ///< virtual NUMA node

  bool operator==(const DeviceNode&) const = default;
};

/// A network card's place in the guest's topology.
struct NicNode {
  std::string nic;        ///< id in the host profile
  std::int64_t node = 0;  ///< virtual NUMA node

  bool operator==(const NicNode&) const = default;
};

struct VirtualNuma {
  std::int64_t nodes = 1;
  std::int64_t cores_per_socket = 0;
  std::int64_t cores_per_node = 0;
  std::vector<DeviceNode> devices;
  std::vector<NicNode> nics;
  /// numa.vcpu.min: set where the VM is too small to be shown its nodes by default
  std::optional<std::int64_t> shown_from_vcpus;

  bool operator==(const VirtualNuma&) const = default;
};

/// How many of this shape one host takes, by resource; absent where the resource does not bound it.
struct Density {
  std::int64_t gpu_slots = 0;
  std::int64_t by_vcpus = 0;
  std::int64_t by_memory = 0;
  std::optional<std::int64_t> by_reservation;

  bool operator==(const Density&) const = default;
};

struct ResourceContract {
  std::string name;
  Shape shape;
  std::vector<Shape> alternatives;  ///< in order of preference, after `shape`
  std::int64_t replicas = 1;
  std::int64_t vcpus = 0;
  std::int64_t minimum_vcpus = 0;
  Bytes memory_bytes;
  Bytes minimum_memory_bytes;
  Bytes memory_reservation_bytes;
  Bytes shared_memory_bytes;
  std::int64_t cpu_reservation_mhz = 0;
  std::int64_t reserved_cores = 0;  ///< what `cpu_reservation_mhz` stands for
  std::int64_t vcpus_per_core = 1;  ///< the overcommit its CPU figures mean
  Qos qos = Qos::Engine;
  Tier tier = Tier::Recommended;
  std::optional<VirtualNuma> numa;  ///< absent: assigned at power on
  std::int64_t mmio_gib = 0;
  bool needs_efi = true;
  bool latency_sensitive = false;
  std::optional<double>
      pause_seconds;  ///< estimated stun of a live migration; absent where there is none
  Density density;
  std::string host;            ///< the host profile it was derived for
  std::string hardware_label;  ///< for dynamic passthrough; may be empty
  PlacementTerms placement;
  bool needs_live_migration = false;
  bool needs_ha = false;
  std::vector<ContractNote> notes;
  // What the contract is for; manifests carry it as annotations.
  std::string model;
  std::string quantization;
  std::optional<std::int64_t> context_tokens;
  std::optional<std::int64_t> concurrency;
  std::string engine;
  std::string engine_version;
  std::string evidence;
  std::optional<std::int64_t> review_after_days;
  std::string review_date;  ///< "2026-11-28"; only where somebody said what day it is
  std::int64_t least_hardware_version = 0;  ///< what its features need; 0: not a VM
  std::int64_t hardware_version = 0;        ///< the host's highest; 0: not known

  bool operator==(const ResourceContract&) const = default;
};

}  // namespace gpushape::domain
