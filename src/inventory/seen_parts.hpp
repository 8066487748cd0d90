// The steps from what was seen to a Cluster: joining what several files tell, and finding the place
// of every holding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/device.hpp"
#include "inventory/seen.hpp"

namespace gpushape::inventory {

/// Hosts of one name as one, in the order in which they were seen; taken out of `seen`.
std::vector<SeenHost> joined_hosts(Seen& seen);
/// Workloads of one name and host as one; names of slices become GPUs and profiles, references to
/// hosts become names.
void join_workloads(Seen& seen, const std::vector<SeenHost>& hosts);

/// A GPU of the cluster as it fills up.
struct Target {
  domain::Gpu* gpu = nullptr;
  const domain::Device* device = nullptr;
  std::string name;          ///< as its system counts it
  std::int64_t compute = 0;  ///< MIG compute slices taken
};

/// By short name, type, the name in a host's list, or an alias; a MIG-backed vGPU stands for the
/// instance that it owns. nullptr where the device has none such.
const domain::Profile* profile_of(const domain::Device& device, domain::GpuUse use,
                                  const std::string& name);
/// The same of a holding, whose instance may be told by its memory.
const domain::Profile* profile_of(const domain::Device& device, const SeenHolding& holding);
/// On the axis of its mode.
int size_of(const domain::Profile& profile);

/// Where a share of a profile goes on one GPU; absent where there is no room.
std::optional<int> room_for(const Target& target, const domain::Profile& profile,
                            const SeenHolding& holding);
/// Puts it there; the GPU takes the mode that this fixes.
void put(Target& target, const std::string& vm, const domain::Profile& profile, int start);

/// Places every holding on the GPUs of `targets` (host by host, in the cluster's order) and adds
/// the VMs that hold them; what finds no place is noted.
void place_holdings(const Seen& seen, std::vector<std::vector<Target>>& targets,
                    Imported& imported);

}  // namespace gpushape::inventory
