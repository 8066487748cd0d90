// Step 3, vNUMA: fit one node first, show several to the guest only when forced to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::ResourceContract;
using domain::VirtualNuma;

namespace {

/// A VM of that few vCPUs is shown one node unless numa.vcpu.min says otherwise (vSphere 8, Virtual
/// NUMA Controls: the default is 9).
constexpr std::int64_t kMostVcpusShownOneNode = 8;

std::int64_t times_needed(std::int64_t wanted, std::int64_t per_node, std::int64_t nodes) {
  return per_node > 0 ? std::min(ceil_div(wanted, per_node), nodes) : nodes;
}

/// Lowers vCPU and memory to what `nodes` nodes hold, where the minimum allows it.
void clamp_to_nodes(const ContractBasis& basis, std::int64_t nodes, ResourceContract& contract) {
  const std::int64_t cores = nodes * basis.capacity.cores_per_node;
  const Bytes memory = nodes * basis.capacity.memory_per_node;
  const std::string where = nodes == 1 && !basis.gpu_nodes.empty()
                                ? fmt::format("NUMA node {} of the GPUs", basis.gpu_nodes.front())
                                : basis.host.name;
  if (contract.vcpus > cores && contract.minimum_vcpus <= cores) {
    note(contract, "step-3",
         fmt::format("vCPU lowered from {} to {}: {} has {} cores for VMs", contract.vcpus,
                     cores / 2 * 2, where, cores));
    contract.vcpus = cores / 2 * 2;
  }
  if (contract.memory_bytes > memory && contract.minimum_memory_bytes <= memory) {
    const Bytes clamped = floor_to(memory, kMemoryUnit);
    note(contract, "step-3",
         fmt::format("memory lowered from {} to {}: {} has {} for VMs",
                     gib_text(contract.memory_bytes), gib_text(clamped), where, gib_text(memory)));
    contract.memory_bytes = clamped;
  }
}

/// What a node's part of the memory is a multiple of.
Bytes memory_unit(Bytes memory, std::int64_t nodes) {
  if (memory / nodes >= gib(256)) return gib(32);
  return memory >= gib(512) ? gib(16) : kMemoryUnit;
}

/// Memory that splits into `nodes` equal parts: up, or down to what the nodes hold where the
/// minimum allows it. Zero where neither works.
Bytes split_memory(const ContractBasis& basis, const ResourceContract& contract,
                   std::int64_t nodes) {
  const Bytes memory = contract.memory_bytes;
  const Bytes unit = nodes * memory_unit(memory, nodes);
  const Bytes most = nodes * basis.capacity.memory_per_node;
  if (const Bytes up = round_up(memory, unit); up <= most) return up;
  const Bytes down = floor_to(most, unit);
  return down >= contract.minimum_memory_bytes ? down : Bytes(0);
}

/// Physical nodes in the order in which virtual ones stand for them: those of the GPUs first.
std::vector<int> node_order(const ContractBasis& basis) {
  std::vector<int> order = basis.gpu_nodes;
  for (int node = 0; node < basis.capacity.nodes; ++node) {
    if (!std::ranges::binary_search(basis.gpu_nodes, node)) order.push_back(node);
  }
  return order;
}

VirtualNuma topology(const ContractBasis& basis, std::int64_t vcpus, std::int64_t nodes) {
  VirtualNuma numa;
  numa.nodes = nodes;
  numa.cores_per_socket = vcpus / nodes;
  numa.cores_per_node = vcpus / nodes;
  const std::vector<int> order = node_order(basis);
  const auto virtual_node = [&](int physical) {
    return std::ranges::find(order, physical) - order.begin();
  };
  for (std::size_t i = 0; i < basis.gpu_positions.size(); ++i) {
    const auto gpu = static_cast<std::size_t>(basis.gpu_positions[i]);
    numa.devices.push_back({.device = static_cast<std::int64_t>(i),
                            .node = virtual_node(basis.host.gpus.at(gpu).numa_node)});
  }
  for (const domain::HostNic& nic : basis.host.nics) {
    const std::int64_t node = virtual_node(nic.numa_node);
    if (node < nodes) numa.nics.push_back({.nic = nic.id, .node = node});
  }
  if (vcpus <= kMostVcpusShownOneNode) numa.shown_from_vcpus = vcpus;
  return numa;
}

void note_single_node(const ContractBasis& basis, ResourceContract& contract) {
  const std::string node = basis.gpu_nodes.empty()
                               ? "one NUMA node"
                               : fmt::format("NUMA node {} with its GPU{}", basis.gpu_nodes.front(),
                                             basis.gpu_positions.size() == 1 ? "" : "s");
  note(contract, "step-3",
       fmt::format("fits {}: no topology is written, it is assigned at power on", node));
}

void note_several_nodes(const ContractBasis& basis, std::int64_t by_cpu, std::int64_t by_memory,
                        ResourceContract& contract) {
  const auto by_gpus = static_cast<std::int64_t>(basis.gpu_nodes.size());
  const std::int64_t nodes = contract.numa->nodes;
  std::vector<std::string> forced;
  if (by_cpu > 1) forced.emplace_back("vCPU");
  if (by_memory > 1) forced.emplace_back("memory");
  if (by_gpus > 1) forced.emplace_back("GPU span");
  note(contract, "step-3",
       fmt::format("{} virtual nodes of {} vCPU and {} each, because of {}; a device's node tells "
                   "the guest the distance and pins nothing",
                   nodes, contract.numa->cores_per_node, gib_text(contract.memory_bytes / nodes),
                   fmt::join(forced, ", ")));
  const domain::ContractWishes& wishes = basis.request.wishes;
  const Bytes held = wishes.kv_offload_bytes.value + wishes.cpu_offload_bytes.value;
  if (by_memory > 1 && held > Bytes(0)) {
    note(contract, "VC-08",
         fmt::format("{} with a host tier of {} are wider than one node ({}): a part of the "
                     "accesses is remote, about 1.5 times as slow for loading and offload",
                     gib_text(contract.memory_bytes), gib_text(held),
                     gib_text(basis.capacity.memory_per_node)));
  }
}

/// The least count of nodes from `least` on whose equal parts hold the VM. Where the host cannot
/// hold it at all (step 6 says so), all of its nodes, with the memory it needs.
std::int64_t split(const ContractBasis& basis, std::int64_t least, ResourceContract& contract) {
  const std::int64_t most = basis.capacity.nodes;
  std::int64_t nodes = least;
  Bytes memory;
  for (; nodes < most; ++nodes) {
    memory = split_memory(basis, contract, nodes);
    if (memory > Bytes(0)) break;
  }
  if (nodes == most) memory = split_memory(basis, contract, nodes);
  if (memory == Bytes(0)) memory = round_up(contract.memory_bytes, nodes * kMemoryUnit);
  if (memory < contract.memory_bytes) {
    note(contract, "step-3",
         fmt::format("memory lowered from {} to {}: {} nodes hold {}",
                     gib_text(contract.memory_bytes), gib_text(memory), nodes,
                     gib_text(nodes * basis.capacity.memory_per_node)));
  }
  contract.memory_bytes = memory;
  contract.vcpus = round_up(contract.vcpus, nodes);
  return nodes;
}

}  // namespace

void fit_numa_nodes(const ContractBasis& basis, ResourceContract& contract) {
  const place::HostCapacity& host = basis.capacity;
  clamp_to_nodes(basis, host.nodes, contract);
  if (basis.gpu_nodes.size() == 1) clamp_to_nodes(basis, 1, contract);
  const std::int64_t by_cpu = times_needed(contract.vcpus, host.cores_per_node, host.nodes);
  const std::int64_t by_memory =
      times_needed(contract.memory_bytes.count(), host.memory_per_node.count(), host.nodes);
  const std::int64_t least =
      std::max({by_cpu, by_memory, static_cast<std::int64_t>(basis.gpu_nodes.size())});
  if (least <= 1) {
    note_single_node(basis, contract);
  } else {
    const std::int64_t nodes = split(basis, least, contract);
    contract.numa = topology(basis, contract.vcpus, nodes);
    note_several_nodes(basis, by_cpu, by_memory, contract);
  }
  // A VM with a passed-through device or a vGPU must have all of its memory reserved.
  contract.memory_reservation_bytes = contract.memory_bytes;
}

}  // namespace gpushape::advise
