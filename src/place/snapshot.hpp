// A cluster at one moment, compiled for decisions: hosts as rows of GPU states and free amounts,
// VMs by name. Copies are independent but for the table of GPU states, which they share.
//
// `place` and `remove` change it; nothing else does. Removing a VM restores what was before it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/cluster.hpp"
#include "place/gpu_states.hpp"

namespace gpushape::place {

/// GPUs of one host, a bit each.
using GpuSet = std::uint64_t;
inline constexpr std::size_t kMostGpusPerHost = 64;

constexpr GpuSet gpu_bit(int gpu) { return GpuSet{1} << static_cast<unsigned>(gpu); }
std::vector<int> gpus_of(GpuSet set);
GpuSet gpu_set(std::span<const int> gpus);

/// VMs that are counted together on each host, as Snapshot::compile numbers them; 0: none.
using GroupId = std::uint32_t;

struct GroupCount {
  GroupId group = 0;
  std::int32_t vms = 0;

  auto operator<=>(const GroupCount&) const = default;
};

/// A request as the snapshot counts it.
struct Request {
  ShapeId shape = 0;
  int gpus = 1;
  bool needs_links = false;
  std::int64_t millicores = 0;
  std::int64_t reserved_mhz = 0;
  std::int64_t memory = 0;  ///< bytes
  GroupId group = 0;
  domain::PlacementRequest asked;
};

/// What the policies weigh: a shape of the distribution with its probability.
struct WeighedRequest {
  double probability = 0;
  Request request;
};
using Distribution = std::vector<WeighedRequest>;

struct HostRow {
  bool is_up = false;
  std::int64_t millicores = 0;
  std::int64_t free_millicores = 0;
  std::optional<std::int64_t> mhz;
  std::int64_t free_mhz = 0;
  std::int64_t memory = 0;
  std::int64_t free_memory = 0;
  std::vector<StateId> gpus;
  std::vector<GpuSet> domains;  ///< largest first, then by their GPUs
  std::uint32_t layout = 0;     ///< the same for hosts with as many GPUs and the same domains
  std::optional<domain::NumaLayout> numa;
  bool is_kept = false;                       ///< for the tenants that the inventory names
  std::vector<GroupCount> groups;             ///< sorted; none of 0 VMs
  const domain::ClusterHost* told = nullptr;  ///< Snapshot::host; never nullptr in a snapshot
  // What follows from the states of the GPUs, kept beside them.
  double idle = 0;   ///< free GPU capacity, whether the host is up or not
  int in_order = 0;  ///< GPUs that have not failed
  GpuSet free = 0;   ///< neither taken nor failed
};

/// Places on one host.
struct Option {
  GpuSet gpus = 0;
  int start = 0;

  bool operator==(const Option&) const = default;
};

struct PlacedVm {
  Request request;
  std::size_t host = 0;
  Option option;
};

class Snapshot {
 public:
  /// The devices that the cluster's GPUs are looked up in; one that is missing serves passthrough
  /// alone.
  Snapshot(const domain::Cluster& cluster, std::span<const domain::Device> devices);
  Snapshot(const domain::Cluster& cluster, std::vector<DeviceGeometry> devices);

  [[nodiscard]] Request compile(const domain::PlacementRequest& request) const;
  [[nodiscard]] Distribution compile(
      std::span<const std::pair<double, domain::PlacementRequest>> distribution) const;

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const HostRow& row(std::size_t host) const { return rows_[host]; }
  /// The host as the inventory told of it; its allocations are those of the beginning.
  [[nodiscard]] const domain::ClusterHost& host(std::size_t host) const { return (*hosts_)[host]; }
  [[nodiscard]] std::optional<std::size_t> find_host(const std::string& name) const;
  [[nodiscard]] GpuStates& states() const { return *states_; }
  [[nodiscard]] const std::map<std::string, PlacedVm>& vms() const { return vms_; }

  /// The option is one of the legal ones.
  void place(const std::string& vm, const Request& request, std::size_t host, Option option);
  /// The host that it leaves; absent where no VM of that name is placed.
  std::optional<std::size_t> remove(const std::string& vm);
  /// Takes a host out, as a failure or maintenance does; its VMs stay in the list.
  void take_down(std::size_t host) { rows_[host].is_up = false; }

  /// The cluster as it stands now.
  [[nodiscard]] domain::Cluster cluster() const;

 private:
  std::shared_ptr<GpuStates> states_;
  std::shared_ptr<std::map<std::string, GroupId>> groups_;
  std::shared_ptr<const std::vector<domain::ClusterHost>> hosts_;
  std::shared_ptr<const std::vector<domain::VirtualMachine>> first_vms_;
  std::vector<HostRow> rows_;
  std::map<std::string, PlacedVm> vms_;
};

/// VMs of a group that the host holds.
std::int64_t vms_of_group(const HostRow& row, GroupId group);

/// The GPUs of a host after a placement.
std::vector<StateId> gpus_after(const Snapshot& snapshot, const HostRow& row,
                                const Request& request, Option option);

}  // namespace gpushape::place
