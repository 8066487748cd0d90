// A contract placed on a cluster, with everything that led there: hosts considered, removed and
// why, goodness by part, the policy's choice, and what the choice removes.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/contract.hpp"
#include "domain/placement.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

/// Shapes that may be asked for next, each with its probability, and where they are taken from.
struct Expected {
  std::vector<std::pair<double, domain::PlacementRequest>> shapes;
  std::string source;
};

/// By weight of the running VMs; where none runs, every shape of the profile tables that the
/// cluster's GPUs serve, all alike.
Expected expected_requests(const domain::Cluster& cluster, std::span<const domain::Device> devices);

struct DecideInput {
  std::span<const domain::Device> devices;
  const Expected& expected;
  const PolicyRow& policy;
  const GoodnessWeights& weights;
};

/// One decision for each replica. All replicas are placed, in the snapshot as well, or none: then
/// the decisions tell which one failed.
std::vector<domain::PlacementDecision> decide(Snapshot& snapshot,
                                              const domain::ResourceContract& contract,
                                              const DecideInput& input);

/// The name under which several contracts are placed by one search instead of a policy.
inline constexpr std::string_view kExactPolicy = "exact";

/// All contracts at once, in their first shapes: the joint placement with the most GPU capacity
/// placed and then the least fragmentation, proven or with its distance to what no placement can
/// pass (exact.hpp). What finds no place there is decided on its own afterwards. Each decision
/// notes what was proven.
std::vector<domain::PlacementDecision> decide_jointly(
    Snapshot& snapshot, std::span<const domain::ResourceContract> contracts,
    const DecideInput& input);

}  // namespace gpushape::place
