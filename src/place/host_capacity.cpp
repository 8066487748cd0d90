#include "place/host_capacity.hpp"

#include <algorithm>

namespace gpushape::place {

HostCapacity host_capacity(const domain::Host& host, const HostReserve& reserve) {
  const std::int64_t per_socket = std::max(host.numa_nodes_per_socket, 1);
  const std::int64_t nodes = std::max(host.sockets, 1) * per_socket;
  const std::int64_t kept = (reserve.cores_per_socket + per_socket - 1) / per_socket;
  const std::int64_t cores = host.cores_per_socket / per_socket - kept;
  return {.nodes = nodes,
          .cores_per_node = std::max<std::int64_t>(cores, 0),
          .memory_per_node = host.memory_bytes / nodes * reserve.usable_memory_percent / 100,
          .base_mhz = host.base_mhz};
}

}  // namespace gpushape::place
