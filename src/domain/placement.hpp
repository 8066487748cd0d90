// Where a contract lands and why: the hosts that were refused with the value that refuses each, the
// choice, and what it takes away from later requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/name_table.hpp"
#include "domain/cluster.hpp"

namespace gpushape::domain {

/// Why a host cannot take a request, in the order of the checks.
enum class Refusal {
  HostDown,
  GpuFailed,
  Model,
  Label,
  Address,
  Mode,
  ProfileLock,
  Capacity,
  Alignment,
  Count,
  LinkDomain,
  Cpu,
  Memory,
  Numa,
  Datastore,
  Network,
  Tenant,
  Spread
};

struct RefusedHost {
  std::string host;
  Refusal refusal = Refusal::HostDown;
  std::string wanted;
  std::string found;

  bool operator==(const RefusedHost&) const = default;
};

/// One part of a host's goodness, 0 to 100.
struct GoodnessPart {
  std::string name;
  double value = 0;   ///< 0 to 100
  double weight = 0;  ///< of all known parts together 1
  std::string fact;   ///< what the value stands on

  bool operator==(const GoodnessPart&) const = default;
};

/// A compatible host with what the policy saw in it.
struct CandidateHost {
  std::string host;
  double goodness = 0;  ///< 0 to 100
  std::vector<GoodnessPart> parts;
  double fragmentation_change = 0;  ///< GPUs, by the metric of the policy

  bool operator==(const CandidateHost&) const = default;
};

/// Places on one host: the GPUs and, for a share, where it starts on the GPU.
struct ChosenGpus {
  std::string host;
  std::vector<int> gpus;  ///< positions on the host
  int start = 0;

  bool operator==(const ChosenGpus&) const = default;
};

/// How often a shape of the distribution fits the cluster, before a decision and after.
struct ShapeSlots {
  std::string shape;
  std::int64_t before = 0;
  std::int64_t after = 0;

  bool operator==(const ShapeSlots&) const = default;
};

struct FragmentationChange {
  double idle_before = 0;  ///< GPUs
  double idle_after = 0;
  double touch_before = 0;
  double touch_after = 0;
  double fill_before = 0;
  double fill_after = 0;

  bool operator==(const FragmentationChange&) const = default;
};

/// One of a contract's shapes held against every host.
struct PlacementAttempt {
  std::string shape;  ///< "2 x 80C linked"
  PlacementRequest request;
  std::vector<RefusedHost> refused;
  std::vector<CandidateHost> candidates;

  bool operator==(const PlacementAttempt&) const = default;
};

/// How well a running VM has it on its host, 0 to 100, and what a decision does to that.
struct HappinessChange {
  std::string vm;
  double before = 0;
  double after = 0;
  std::string fact;  ///< what the value after stands on

  bool operator==(const HappinessChange&) const = default;
};

/// One instance of one contract.
struct PlacementDecision {
  std::string contract;
  std::string vm;                          ///< name of the instance
  std::vector<PlacementAttempt> attempts;  ///< in the order of the wishes; the last one decided
  std::optional<ChosenGpus> chosen;
  std::vector<std::string> gpu_ids;
  std::string mode;  ///< that the GPUs are in afterwards
  std::string why;   ///< what made the policy take this host and these GPUs
  std::vector<ShapeSlots> slots;
  std::vector<ShapeSlots> profile_slots;  ///< on the chosen host, of each profile of its device
  FragmentationChange fragmentation;
  std::vector<HappinessChange> happiness;  ///< of the VM itself, then of those whose it lowers
  std::vector<std::string> notes;
  bool is_taken_back = false;  ///< no place of its own failed it: replicas are placed all or none

  [[nodiscard]] bool is_placed() const { return chosen.has_value(); }

  bool operator==(const PlacementDecision&) const = default;
};

struct Placement {
  std::string cluster;
  std::string policy;
  std::string goodness_preset;
  std::string distribution;  ///< where the shapes to come are taken from
  std::vector<PlacementDecision> decisions;

  bool operator==(const Placement&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Refusal> = std::to_array<NameRow<domain::Refusal>>({
    {domain::Refusal::HostDown, "host-down", "the host is in maintenance or failed"},
    {domain::Refusal::GpuFailed, "failed", "the GPU is out of order"},
    {domain::Refusal::Model, "model", "another device, or one without such a profile"},
    {domain::Refusal::Label, "label", "another hardware label"},
    {domain::Refusal::Address, "address", "not the device that the request is bound to"},
    {domain::Refusal::Mode, "mode", "the GPU's mode does not serve this kind of use"},
    {domain::Refusal::ProfileLock, "profile-lock", "same-size mode, locked to another profile"},
    {domain::Refusal::Capacity, "capacity", "not enough of the GPU is free"},
    {domain::Refusal::Alignment, "alignment", "enough is free, but at no legal start"},
    {domain::Refusal::Count, "count", "fewer empty GPUs than asked for"},
    {domain::Refusal::LinkDomain, "domain", "no free link domain of that size"},
    {domain::Refusal::Cpu, "cpu", "not enough CPU to reserve"},
    {domain::Refusal::Memory, "mem", "not enough memory to reserve"},
    {domain::Refusal::Numa, "numa", "the VM's nodes do not fit the host's nodes"},
    {domain::Refusal::Datastore, "datastore", "a named datastore is out of reach"},
    {domain::Refusal::Network, "network", "a named network is out of reach"},
    {domain::Refusal::Tenant, "tenant", "the host is kept for others"},
    {domain::Refusal::Spread, "spread", "the host holds as many of the group as it may"},
});
}  // namespace gpushape
