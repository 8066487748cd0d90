// What a host has left for virtual machines once the hypervisor has taken its share, per NUMA node.
// Formulas: vm-contract.md, end of section 1.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "domain/host.hpp"

namespace gpushape::place {

/// The hypervisor's share.
struct HostReserve {
  std::int64_t cores_per_socket = 2;
  std::int64_t usable_memory_percent = 94;

  bool operator==(const HostReserve&) const = default;
};

struct HostCapacity {
  std::int64_t nodes = 1;           ///< NUMA nodes
  std::int64_t cores_per_node = 0;  ///< physical cores for VMs; 0 where the hypervisor takes all
  Bytes memory_per_node;            ///< installed memory counts as spread evenly
  std::int64_t base_mhz = 0;

  [[nodiscard]] std::int64_t cores() const { return nodes * cores_per_node; }
  [[nodiscard]] Bytes memory() const { return nodes * memory_per_node; }
  [[nodiscard]] std::int64_t mhz() const { return cores() * base_mhz; }

  bool operator==(const HostCapacity&) const = default;
};

HostCapacity host_capacity(const domain::Host& host, const HostReserve& reserve = {});

}  // namespace gpushape::place
