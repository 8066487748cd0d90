#include "place/happiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace gpushape::place {

namespace {

using Demand = std::map<int, double>;  ///< by NUMA node; -1 is the host as a whole

/// The nodes that a VM's GPUs are on; -1 where they are not known.
std::set<int> homes_of(const domain::ClusterHost& host, const PlacedVm& vm) {
  std::set<int> homes;
  for (const int position : gpus_of(vm.option.gpus)) {
    const domain::Gpu& gpu = host.gpus[static_cast<std::size_t>(position)];
    if (!host.numa || !gpu.numa_node) return {-1};
    homes.insert(*gpu.numa_node);
  }
  if (homes.empty()) homes.insert(-1);
  return homes;
}

void add(Demand& demand, const std::set<int>& homes, double amount) {
  for (const int node : homes) demand[node] += amount / static_cast<double>(homes.size());
}

/// The mean over a VM's nodes of what there is over what is asked of it.
double share_of(const Demand& demand, const std::set<int>& homes, double of_node, double of_host) {
  double sum = 0;
  for (const int node : homes) {
    const double there = node < 0 ? of_host : of_node;
    const auto asked = demand.find(node);
    const bool is_free = asked == demand.end() || asked->second <= 0;
    sum += is_free ? 1.0 : std::min(1.0, there / asked->second);
  }
  return sum / static_cast<double>(homes.size());
}

std::optional<double> links_of(const HostRow& row, const PlacedVm& vm) {
  if (gpus_of(vm.option.gpus).size() < 2) return std::nullopt;
  const bool is_linked = std::ranges::any_of(
      row.domains, [&](GpuSet domain) { return (vm.option.gpus & ~domain) == 0; });
  return is_linked ? 1.0 : 0.0;
}

}  // namespace

std::map<std::string, Happiness> happiness_on(const Snapshot& snapshot, std::size_t host) {
  const domain::ClusterHost& told = snapshot.host(host);
  const HostRow& row = snapshot.row(host);
  std::map<std::string, const PlacedVm*> vms;
  Demand cores;
  Demand memory;
  for (const auto& [name, vm] : snapshot.vms()) {
    if (vm.host != host) continue;
    vms.emplace(name, &vm);
    const std::set<int> homes = homes_of(told, vm);
    add(cores, homes, static_cast<double>(vm.request.millicores));
    add(memory, homes, static_cast<double>(vm.request.memory));
  }
  const double node_cores = told.numa ? static_cast<double>(told.numa->millicores_per_node) : 0;
  const double node_memory =
      told.numa ? static_cast<double>(told.numa->memory_per_node.count()) : 0;
  std::map<std::string, Happiness> result;
  for (const auto& [name, vm] : vms) {
    const std::set<int> homes = homes_of(told, *vm);
    const double core_share =
        share_of(cores, homes, node_cores, static_cast<double>(row.millicores));
    const double memory_share =
        share_of(memory, homes, node_memory, static_cast<double>(row.memory));
    const std::optional<double> links = links_of(row, *vm);
    const double parts = links ? 3 : 2;
    Happiness happiness;
    happiness.value = 100 * (core_share + memory_share + links.value_or(0)) / parts;
    happiness.fact = fmt::format("cores {:.2f}, memory {:.2f}", core_share, memory_share);
    if (links) happiness.fact += fmt::format(", links {:.2f}", *links);
    result.emplace(name, std::move(happiness));
  }
  return result;
}

}  // namespace gpushape::place
