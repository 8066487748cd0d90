// RV-10: free memory can be used. Where the cluster has as much free as is asked for and no place
// for it, it is fragmented, not full (F. Denneman, Why GPU Placement Becomes the Defining Problem,
// the hidden cost of placement decisions: capacity exists on paper).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "review/placements.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::size_t kShownHolders = 3;

struct FreeMemory {
  std::int64_t gib = 0;   ///< as the names of the profiles count it
  std::int64_t gpus = 0;  ///< that have some of it
  std::vector<std::string> holders;
};

/// Of the GPUs of that product on hosts that are up: what no VM holds.
FreeMemory free_memory(const domain::Cluster& cluster, const domain::Device& device) {
  FreeMemory free;
  for (const domain::ClusterHost& host : cluster.hosts) {
    if (host.state != domain::HostState::Up) continue;
    for (const domain::Gpu& gpu : host.gpus) {
      if (gpu.device != device.id || gpu.has_failed || !gpu.shares.empty()) continue;
      // In MIG mode sizes are slices; of those the memory ones are counted.
      const bool is_mig = gpu.mode == domain::GpuMode::Mig;
      const std::int64_t unit =
          is_mig && device.mig_memory_slices > 0 ? device.nominal_gb / device.mig_memory_slices : 1;
      std::int64_t held = 0;
      for (const domain::GpuAllocation& row : gpu.allocations) {
        held += gpu.mode == domain::GpuMode::Passthrough ? device.nominal_gb : row.size * unit;
      }
      const std::int64_t rest = device.nominal_gb - held;
      if (rest <= 0) continue;
      free.gib += rest;
      ++free.gpus;
      for (const domain::GpuAllocation& row : gpu.allocations) {
        if (free.holders.size() == kShownHolders) break;
        free.holders.push_back(fmt::format("{} on {}", row.vm, host.name));
      }
    }
  }
  return free;
}

/// Every host refuses for the GPUs it has left, not for CPU, memory or anything else.
bool is_for_want_of_place(const domain::PlacementDecision& decision) {
  using domain::Refusal;
  if (decision.is_placed() || decision.attempts.empty()) return false;
  bool is_any = false;
  for (const domain::RefusedHost& host : decision.attempts.back().refused) {
    switch (host.refusal) {
      case Refusal::ProfileLock:
      case Refusal::Capacity:
      case Refusal::Alignment:
      case Refusal::Count:
      case Refusal::LinkDomain:
        is_any = true;
        break;
      case Refusal::Model:
      case Refusal::HostDown:
        break;
      default:
        return false;
    }
  }
  return is_any;
}

}  // namespace

void rv_10(const Deployment& deployment, Report& report) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return;
  for (const PlacedContract& row : deployment.placements().contracts) {
    if (!row.asked.contract || std::ranges::none_of(row.decisions, is_for_want_of_place)) continue;
    const domain::Shape& shape = row.asked.contract->shape;
    const domain::Device* device = device_by_id(deployment, shape.device);
    if (device == nullptr) continue;
    std::int64_t wanted = device->nominal_gb * shape.count;
    for (const domain::Profile& profile : device->profiles) {
      if (profile.name == shape.profile) wanted = profile.nominal_gib * shape.count;
    }
    const FreeMemory free = free_memory(*cluster, *device);
    // Without something that holds a part of a GPU there is nothing that could be moved.
    if (free.gib < wanted || free.holders.empty()) continue;
    report.add_at(deployment, row.asked.place,
                  {.message = fmt::format("{} wants {} GB and finds no place, and {} {} of {} have "
                                          "{} GB free together: they are fragmented by {}",
                                          row.asked.object, wanted, free.gpus, device->id,
                                          deployment.placements().cluster, free.gib,
                                          fmt::join(free.holders, ", "))});
  }
}

}  // namespace gpushape::review::rules_of
