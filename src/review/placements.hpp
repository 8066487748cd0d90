// Where the contracts behind the documents would land on the cluster of --cluster, or on one that
// stands among the documents.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domain/placement.hpp"
#include "review/asked_contracts.hpp"

namespace gpushape::review {

/// One contract, with a decision for each of its instances.
struct PlacedContract {
  AskedContract asked;
  std::vector<domain::PlacementDecision> decisions;  ///< empty where there is no contract
  /// Hosts with an instance whose VMs cannot all restart elsewhere; by name.
  std::vector<std::string> hosts_without_spare;
};

struct Placements {
  std::string cluster;  ///< empty: there is none, and nothing was placed
  std::vector<PlacedContract> contracts;
};

/// Contracts one after the other, in the order of the documents.
Placements place_contracts(const Deployment& deployment);

}  // namespace gpushape::review
