// A list of tasks without times on a pool of shared GPUs: all tasks in an order by seed, then tasks
// drawn with replacement, until the demand that arrived reaches a share of the GPU capacity. No
// departures. The experiment of "Beware of Fragmentation", USENIX ATC 2023.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/trace.hpp"
#include "place/shared_pool.hpp"

namespace gpushape::simulate {

struct TaskReplayPoint {
  double arrived = 0;    ///< demand over GPU capacity
  double allocated = 0;  ///< share of the GPU capacity
  std::int64_t placed = 0;
  std::int64_t rejected = 0;
};

/// One point for each of `arrivals` (shares of the capacity, ascending): the state when the next
/// task would pass it.
std::vector<TaskReplayPoint> replay_tasks(place::SharedPool& pool, std::size_t tasks,
                                          std::uint64_t seed, std::span<const double> arrivals);
/// The same on a pool of its own; several seeds are faster on one pool.
std::vector<TaskReplayPoint> replay_tasks(std::span<const domain::SharedNode> nodes,
                                          std::span<const domain::SharedTask> tasks,
                                          const place::SharedPolicyRow& policy, std::uint64_t seed,
                                          std::span<const double> arrivals);

}  // namespace gpushape::simulate
