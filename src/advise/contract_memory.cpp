// Step 2, memory: the processes, what loading takes, host tiers, and the usual ratio to GPU memory.
#include <fmt/format.h>

#include <algorithm>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::Loader;
using domain::ResourceContract;
using domain::Tier;

namespace {

Bytes bytes_of(const ContractConstant& constant) { return gib_of(constant.value); }

/// What stays in memory whatever the ratio says: host tiers of the KV cache and of the weights.
Bytes held_memory(const ContractBasis& basis) {
  return basis.request.wishes.kv_offload_bytes.value + basis.request.wishes.cpu_offload_bytes.value;
}

Bytes process_memory(const ContractBasis& basis, std::vector<const ContractConstant*>& constants) {
  const ContractConstants& k = basis.constants;
  constants.push_back(&k.worker_memory);
  if (basis.role == ContractRole::Train) {
    constants.push_back(&k.loader_memory);
    const auto workers = basis.request.wishes.workers.value;
    return basis.gpus * (bytes_of(k.worker_memory) + workers * bytes_of(k.loader_memory));
  }
  constants.push_back(&k.server_memory);
  const std::int64_t servers =
      basis.request.wishes.api_servers.value + basis.request.shape.parallelism.data;
  return servers * bytes_of(k.server_memory) + basis.gpus * bytes_of(k.worker_memory);
}

/// Training workers hand batches over through shared memory, so that training takes one step more
/// than serving: 8 GiB with one GPU, 16 with several.
const ContractConstant& shared_memory(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  if (basis.role == ContractRole::Train) {
    return basis.gpus == 1 ? k.shared_memory_linked : k.shared_memory_unlinked;
  }
  if (basis.gpus == 1) return k.shared_memory_one;
  return basis.is_linked ? k.shared_memory_linked : k.shared_memory_unlinked;
}

struct LoadMemory {
  Bytes minimum;
  Bytes recommended;
};

LoadMemory load_memory(const ContractBasis& basis,
                       std::vector<const ContractConstant*>& constants) {
  const ContractRequest& request = basis.request;
  Bytes shard = request.shard_bytes.value_or(bytes_of(basis.constants.unknown_shard));
  if (!request.shard_bytes) constants.push_back(&basis.constants.unknown_shard);
  if (request.weights_bytes > Bytes(0)) shard = std::min(shard, request.weights_bytes);
  switch (request.wishes.loader.value) {
    case Loader::Mmap:
      return {shard, request.weights_bytes};  // a warm page cache is a wish
    case Loader::Eager:
      return {basis.gpus * shard, std::max(request.weights_bytes, basis.gpus * shard)};
    case Loader::Build:
      break;
  }
  return {gib(basis.gpu_memory_gib), gib(basis.gpu_memory_gib)};
}

const ContractConstant& ratio(const ContractBasis& basis) {
  switch (basis.role) {
    case ContractRole::Llm:
      return basis.constants.ratio_llm;
    case ContractRole::Embed:
      return basis.constants.ratio_embed;
    case ContractRole::Notebook:
      return basis.constants.ratio_notebook;
    case ContractRole::Train:
      return basis.constants.ratio_train;
  }
  return basis.constants.ratio_llm;
}

Bytes ratio_memory(const ContractBasis& basis) {
  return gib_of(ratio(basis).value * static_cast<double>(basis.gpu_memory_gib));
}

MemoryNeed notebook_memory_need(const ContractBasis& basis) {
  const ContractConstants& k = basis.constants;
  const Bytes held = held_memory(basis);
  const Bytes usual = bytes_of(k.notebook_memory);
  const Bytes by_ratio = ratio_memory(basis);
  return {.minimum = bytes_of(k.notebook_least_memory) + held,
          .recommended = std::max(usual, by_ratio) + held,
          .shared = bytes_of(k.shared_memory_one),
          .constants = {&k.notebook_least_memory,
                        usual >= by_ratio ? &k.notebook_memory : &k.ratio_notebook}};
}

/// No instance takes more of the host's memory than its part of the GPUs, unless it cannot do with
/// less: memory of a GPU VM is never overcommitted.
void clamp_memory_to_share(const ContractBasis& basis, ResourceContract& contract) {
  const auto gpus_on_host = static_cast<std::int64_t>(basis.host.gpus.size());
  if (gpus_on_host == 0) return;
  const Bytes share =
      basis.capacity.memory() * basis.share.numerator / (basis.share.denominator * gpus_on_host);
  if (contract.memory_bytes <= share) return;
  const Bytes clamped = std::max(contract.minimum_memory_bytes, floor_to(share, kMemoryUnit));
  if (clamped >= contract.memory_bytes) {
    note(contract, "step-2",
         fmt::format("memory of {} is more than the instance's share of {} ({}), and cannot be "
                     "less",
                     gib_text(contract.memory_bytes), basis.host.name, gib_text(share)));
    return;
  }
  note(contract, "step-2",
       fmt::format("memory lowered from {} to {}: the instance's share of {} is {}",
                   gib_text(contract.memory_bytes), gib_text(clamped), basis.host.name,
                   gib_text(share)));
  contract.memory_bytes = clamped;
}

/// A pod has its memory once, whichever of its wishes it is given.
void take_memory_of_pod(const ContractBasis& basis, ResourceContract& contract) {
  if (!basis.request.pod) return;
  const PodAmounts& pod = *basis.request.pod;
  if (contract.shared_memory_bytes < pod.shared_memory_bytes) {
    contract.minimum_memory_bytes = round_memory(
        contract.minimum_memory_bytes + pod.shared_memory_bytes - contract.shared_memory_bytes);
    contract.shared_memory_bytes = pod.shared_memory_bytes;
  }
  const Bytes memory = std::max(pod.memory_bytes, contract.minimum_memory_bytes);
  if (contract.memory_bytes == memory) return;
  note(contract, "step-2",
       fmt::format("{} of memory instead of {}: what the wishes of one pod have in common",
                   gib_text(memory), gib_text(contract.memory_bytes)));
  contract.memory_bytes = memory;
}

}  // namespace

Bytes round_memory(Bytes memory) {
  if (memory <= gib(256)) return round_up(memory, kMemoryUnit);
  return round_up(memory, memory <= gib(512) ? gib(16) : gib(32));
}

MemoryNeed memory_need(const ContractBasis& basis) {
  if (basis.role == ContractRole::Notebook) return notebook_memory_need(basis);
  const ContractConstants& k = basis.constants;
  MemoryNeed need;
  const ContractConstant& shared = shared_memory(basis);
  need.constants = {&k.system_memory, &shared};
  need.shared = bytes_of(shared);
  const Bytes base =
      bytes_of(k.system_memory) + process_memory(basis, need.constants) + need.shared;
  const LoadMemory load = load_memory(basis, need.constants);
  const Bytes held = held_memory(basis);
  need.minimum = base + load.minimum + held;
  const Bytes by_parts = base + load.recommended + held;
  const Bytes by_ratio = ratio_memory(basis) + held;
  // Weights smaller than a shard, or not known, must not put the wish below the need.
  need.recommended = std::max({by_parts, by_ratio, need.minimum});
  if (by_ratio > by_parts) need.constants.push_back(&ratio(basis));
  return need;
}

void size_memory(const ContractBasis& basis, ResourceContract& contract) {
  const MemoryNeed need = memory_need(basis);
  contract.minimum_memory_bytes = round_memory(need.minimum);
  contract.memory_bytes = contract.tier == Tier::Minimum ? contract.minimum_memory_bytes
                                                         : round_memory(need.recommended);
  contract.shared_memory_bytes = need.shared;
  note(contract, "step-2",
       fmt::format("{} of memory for tier {}: at least {}, recommended {}, before rounding; {}",
                   gib_text(contract.memory_bytes), name_of(contract.tier), gib_text(need.minimum),
                   gib_text(need.recommended), cite(need.constants)));
  clamp_memory_to_share(basis, contract);
  take_memory_of_pod(basis, contract);
}

}  // namespace gpushape::advise
