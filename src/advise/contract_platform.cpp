// What the contract means beside the figures: the disk that holds the weights, and where there are
// no virtual machines the pod and its kubelet, or the binding of a process. vm-contract.md,
// section 5.3.
//
// Sources: Kubernetes, Control CPU Management Policies (static; full-pcpus-only is GA in 1.33),
// Control Topology Management Policies (prefer-closest-numa-nodes is GA in 1.32), Utilizing the
// NUMA- aware Memory Manager (GA in 1.32); numactl(8); NVIDIA, Multi-Instance GPU User Guide (mig
// -cgi); NVIDIA, Multi-Process Service (memory limits, control daemon).
#include <fmt/format.h>

#include <algorithm>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::Platform;
using domain::ResourceContract;
using domain::Technology;

namespace {

std::string joined_numbers(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

void note_disk(const ContractBasis& basis, ResourceContract& contract) {
  const Bytes weights = basis.request.weights_bytes;
  if (weights <= Bytes(0)) return;
  const double factor = 1 + basis.constants.disk_reserve.value / 100;
  const auto disk = Bytes(static_cast<std::int64_t>(static_cast<double>(weights.count()) * factor));
  const std::int64_t disk_gib = ceil_div(disk.count(), gib(1).count());
  const std::string_view access =
      contract.replicas > 1
          ? "read by every replica: a class that many nodes may mount, or a copy each"
          : "read by one: block storage of the host's own is fastest";
  note(contract, "disk",
       fmt::format("{} GiB for weights of {} ({}); {}", disk_gib, gib_text(weights),
                   cite({&basis.constants.disk_reserve}), access));
}

void note_pod(const ContractBasis& basis, ResourceContract& contract) {
  const ContractConstants& k = basis.constants;
  const std::int64_t cpus = std::max<std::int64_t>(1, contract.vcpus - k.node_cpus.count());
  const auto part = static_cast<std::int64_t>(static_cast<double>(contract.memory_bytes.count()) *
                                              k.node_memory_part.value / 100);
  const Bytes kept = std::max(gib_of(k.node_memory.value), Bytes(part));
  note(contract, "pod",
       fmt::format("{} CPU and {} as requests and limits alike, so that the pod is Guaranteed; {}",
                   cpus, gib_text(contract.memory_bytes - kept),
                   cite({&k.node_cpus, &k.node_memory, &k.node_memory_part})));
  if (basis.host.threads_per_core > 1 && basis.role == ContractRole::Llm) {
    const std::int64_t least = 2 * (2 + basis.gpus);
    note(contract, "pod",
         fmt::format("a CPU of this node is a hyper-thread: the engine wants 2 x (2 + {}) = {} at "
                     "least (vLLM, CPU Resources for GPU Deployments)",
                     basis.gpus, least));
  }
  const std::int64_t nodes = contract.numa ? contract.numa->nodes : 1;
  std::string policy = "topologyManagerPolicy single-numa-node";
  if (nodes > 1) {
    policy = fmt::format(
        "topologyManagerPolicy restricted with prefer-closest-numa-nodes, and "
        "distribute-cpus-across-numa ({} nodes)",
        nodes);
  }
  note(contract, "kubelet",
       fmt::format("cpuManagerPolicy static with full-pcpus-only, memoryManagerPolicy Static, {}{}",
                   policy, basis.capacity.nodes > 8 ? "; max-allowable-numa-nodes above 8" : ""));
}

void note_binding(const ContractBasis& basis, ResourceContract& contract) {
  if (basis.gpu_nodes.empty()) return;
  std::vector<int> nodes = basis.gpu_nodes;
  const std::int64_t wanted = contract.numa ? contract.numa->nodes : 1;
  for (int node = 0; std::ssize(nodes) < wanted && node < basis.capacity.nodes; ++node) {
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  std::ranges::sort(nodes);
  const std::string list = joined_numbers(nodes);
  note(contract, "numactl",
       fmt::format("CUDA_VISIBLE_DEVICES={} numactl --cpunodebind={} --membind={}: {} cores of the "
                   "GPUs' own node{}",
                   joined_numbers(basis.gpu_positions), list, list, contract.vcpus,
                   nodes.size() == 1 ? "" : "s"));
}

void note_partition(const ContractBasis& basis, ResourceContract& contract) {
  if (basis.gpu_positions.empty()) return;
  const int gpu = basis.gpu_positions.front();
  if (contract.shape.technology == Technology::Mig) {
    note(contract, "mig",
         fmt::format("nvidia-smi -i {0} -mig 1 && nvidia-smi mig -i {0} -cgi {1} -C: the device "
                     "must be empty before",
                     gpu, contract.shape.profile_short));
  }
  if (contract.shape.technology == Technology::Mps) {
    note(contract, "mps",
         fmt::format("nvidia-smi -i {0} -c EXCLUSIVE_PROCESS && nvidia-cuda-mps-control -d; the "
                     "process with CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=\"0={1}M\"",
                     gpu, contract.shape.memory_bytes / mib(1)));
  }
}

}  // namespace

void note_platform(const ContractBasis& basis, ResourceContract& contract) {
  note_disk(basis, contract);
  if (basis.request.platform == Platform::Kubernetes) note_pod(basis, contract);
  if (basis.request.platform == Platform::BareMetal) {
    note_binding(basis, contract);
    note_partition(basis, contract);
  }
}

}  // namespace gpushape::advise
