// The best joint placement of a small batch, by branch and bound: first the most GPU capacity that
// is placed, then the least fragmentation by fill afterwards. Contracts are placed whole, all
// replicas or none. The search proves its answer or says how far it got: the best it found, and
// what no placement can pass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "place/failover.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

/// Instances that are placed together or not at all.
struct Batch {
  Request request;
  std::vector<std::string> names;  ///< one for each instance
};

/// What is maximised, the first figure first; capacity in GPUs.
struct JointValue {
  double placed = 0;
  double fragmentation = 0;  ///< by fill, of the whole cluster; less is better

  bool operator==(const JointValue&) const = default;
};

/// To nine decimals.
bool is_better(const JointValue& a, const JointValue& b);

struct BestJoint {
  std::vector<Restart> places;  ///< of the instances that are placed
  JointValue value;
  JointValue bound;        ///< that no placement passes; `value` where it is proven
  double asked = 0;        ///< GPU capacity of all instances
  bool is_proven = false;  ///< every placement was searched or is known not to be better
  std::int64_t steps = 0;  ///< states that the search looked at
};

/// Ours: about a second on a small cluster.
inline constexpr std::int64_t kExactSteps = 100'000;

BestJoint best_joint(const Snapshot& snapshot, std::span<const Batch> batches,
                     const Distribution& distribution, std::int64_t most_steps = kExactSteps);

}  // namespace gpushape::place
