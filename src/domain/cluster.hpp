// What a cluster holds at one moment: hosts with CPU, memory, links and state, GPUs with their mode
// and allocations, and the VMs that run there.
//
// Made by inventory from a `kind: Cluster` document or from what real systems print; place decides
// over it. CPU is counted in thousandths of a core that may be reserved, so that a VM with four
// vCPUs at two to the core takes 2 000.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/name_table.hpp"
#include "domain/device.hpp"
#include "domain/host.hpp"

namespace gpushape::domain {

enum class HostState { Up, Maintenance, Failed };

/// What a VM asks a GPU to be. A full-size vGPU is the time-sliced profile as large as the device.
enum class GpuUse { TimeSliced, Mig, Passthrough };

inline constexpr std::int64_t kMillicoresPerCore = 1000;

/// The least that placement knows of a VM: what one instance takes of a host.
struct PlacementRequest {
  GpuUse use = GpuUse::TimeSliced;
  std::string profile;       ///< short name, "40C" or "3g.40gb"; empty for passthrough
  std::int64_t gpus = 1;     ///< more than one only for whole devices
  bool needs_links = false;  ///< the GPUs must form one link domain
  std::int64_t millicores = 0;
  std::int64_t reserved_mhz = 0;
  Bytes memory_bytes;
  std::vector<std::string> devices;  ///< device ids that may serve; empty: any
  std::optional<std::string> label;  ///< hardware label; absent: any
  bool is_static = false;            ///< passthrough bound to one address: cannot restart elsewhere
  /// Of a static passthrough, one for each device; empty: any devices, bound once chosen.
  std::vector<std::string> pci_addresses;
  std::int64_t numa_nodes = 0;          ///< virtual NUMA nodes; 0: not known, 1: one node holds it
  std::vector<std::string> datastores;  ///< all must be reachable
  std::vector<std::string> networks;    ///< all must be reachable
  std::string tenant;                   ///< empty: not said
  std::string group;                    ///< VMs that `most_per_host` counts together; empty: none
  std::int64_t most_per_host = 0;       ///< VMs of the group that one host may hold; 0: any number

  bool operator==(const PlacementRequest&) const = default;
};

/// A share of a GPU, or the whole of it, that a VM holds.
struct GpuAllocation {
  std::string vm;
  std::string profile;  ///< short name; empty for passthrough
  int start = 0;        ///< GB in the time-sliced modes, slice in MIG
  int size = 0;

  bool operator==(const GpuAllocation&) const = default;
};

/// A part of a GPU that software keeps apart, not the device: by a scheduler's book-keeping (KAI,
/// Run:ai, time-slicing replicas) or a library (HAMi). The GPU as a whole counts as taken.
struct SoftwareShare {
  std::string holder;
  std::string team;
  std::optional<Bytes> memory_bytes;
  std::optional<double> fraction;  ///< of the device, 0 to 1, as that software counts it

  bool operator==(const SoftwareShare&) const = default;
};

/// One physical GPU. While empty it is neutral: the first VM fixes the mode (and in same-size mode
/// the profile), and the last one to leave drops both.
struct Gpu {
  std::string id;
  std::string device;                  ///< device id of the profile tables
  std::vector<GpuMode> allowed_modes;  ///< at most one of the two vGPU modes
  std::string label;                   ///< empty: none
  std::string pci_address;             ///< empty: not known
  std::string uuid;                    ///< "GPU-…", as telemetry names it; empty: not known
  std::optional<int> numa_node;
  bool has_failed = false;
  std::optional<GpuMode> mode;  ///< absent while empty
  std::string profile;          ///< only in same-size mode
  std::vector<GpuAllocation> allocations;
  std::vector<SoftwareShare> shares;  ///< how software divides what is allocated

  bool operator==(const Gpu&) const = default;
};

/// NUMA layout of a host, where known: what one node may give to VMs.
struct NumaLayout {
  int nodes = 0;
  std::int64_t millicores_per_node = 0;
  Bytes memory_per_node;

  bool operator==(const NumaLayout&) const = default;
};

struct ClusterHost {
  std::string name;
  HostState state = HostState::Up;
  std::int64_t millicores = 0;  ///< that VMs may reserve
  std::int64_t used_millicores = 0;
  std::optional<std::int64_t> mhz;  ///< that VMs may reserve; absent: not counted
  std::int64_t used_mhz = 0;
  Bytes memory_bytes;
  Bytes used_memory_bytes;
  std::optional<NumaLayout> numa;
  std::vector<Gpu> gpus;
  /// Every set of two or more GPUs that may be given to one VM with links between them.
  std::vector<LinkDomain> link_domains;
  std::string board;
  std::vector<std::string> datastores;  ///< reached; not known where `knows_datastores` is false
  std::vector<std::string> networks;
  bool knows_datastores = false;
  bool knows_networks = false;
  std::vector<std::string> tenants;  ///< admitted; empty: all
  /// The server behind it, where known; figures that are left open follow from it.
  std::optional<Host> hardware;
  std::string server;  ///< where this host is itself a VM: the host below it

  bool operator==(const ClusterHost&) const = default;
};

/// A VM that runs, with what it was placed by.
struct VirtualMachine {
  std::string name;
  std::string host;
  std::vector<int> gpus;  ///< positions on the host
  int start = 0;
  PlacementRequest request;
  std::string team;
  bool can_move = true;  ///< live migration is possible
  std::optional<double> pause_seconds;

  bool operator==(const VirtualMachine&) const = default;
};

struct Cluster {
  std::string name;
  std::vector<ClusterHost> hosts;
  std::vector<VirtualMachine> vms;
  std::string source;

  bool operator==(const Cluster&) const = default;
};

/// A server model as a cluster of one empty host; its figures follow from the hardware.
Cluster cluster_of(const Host& host);

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::HostState> = std::to_array<NameRow<domain::HostState>>({
    {domain::HostState::Up, "up", "takes VMs"},
    {domain::HostState::Maintenance, "maintenance", "in or entering maintenance mode"},
    {domain::HostState::Failed, "failed", "down"},
});
template <>
inline constexpr auto kNames<domain::GpuUse> = std::to_array<NameRow<domain::GpuUse>>({
    {domain::GpuUse::TimeSliced, "time-sliced", "a vGPU, up to the whole frame buffer"},
    {domain::GpuUse::Mig, "mig", "a MIG instance, with or without a vGPU"},
    {domain::GpuUse::Passthrough, "passthrough", "the device itself"},
});
}  // namespace gpushape
