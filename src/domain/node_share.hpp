// What a node's own services take of a contract before its pods get the rest: 1 CPU, and 5 % of the
// memory or 2 GiB where that is more (vm-contract.md 5.3). And back: the contract of a node whose
// pods ask for so much.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"

namespace gpushape::domain {

inline constexpr std::int64_t kNodeCpus = 1;
inline constexpr std::int64_t kNodeMemoryPart = 20;
inline const Bytes kNodeMemory = gib(2);

constexpr std::int64_t pod_vcpus(std::int64_t contract_vcpus) {
  return std::max<std::int64_t>(1, contract_vcpus - kNodeCpus);
}
inline Bytes pod_memory(Bytes contract_memory) {
  return contract_memory - std::max(kNodeMemory, contract_memory / kNodeMemoryPart);
}

constexpr std::int64_t contract_vcpus(std::int64_t pod_vcpus) { return pod_vcpus + kNodeCpus; }
/// In whole GiB, as contracts are.
inline Bytes contract_memory(Bytes pod_memory) {
  const Bytes by_part = pod_memory + pod_memory / (kNodeMemoryPart - 1);
  return round_up(std::max(pod_memory + kNodeMemory, by_part), gib(1));
}

}  // namespace gpushape::domain
