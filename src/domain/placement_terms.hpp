// What a host must offer beside the amounts, as the administrator of the cluster states it: a
// field of a Workload, which the contract takes over, and of a contract that somebody writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpushape::domain {

struct PlacementTerms {
  /// Of a static passthrough, one for each device of the shape; empty: dynamic, any device.
  /// "0000:3b:00.0": domain, bus, device and function, as lspci and vSphere print them.
  std::vector<std::string> pci_addresses;
  std::vector<std::string> datastores;  ///< all must be reachable
  std::vector<std::string> networks;    ///< all must be reachable
  std::string tenant;                   ///< empty: not said
  std::int64_t most_per_host = 0;       ///< replicas on one host; 0: any number

  bool operator==(const PlacementTerms&) const = default;
};

/// What `given` says stands in place of what `terms` said.
inline void overrule(PlacementTerms& terms, const PlacementTerms& given) {
  if (!given.pci_addresses.empty()) terms.pci_addresses = given.pci_addresses;
  if (!given.datastores.empty()) terms.datastores = given.datastores;
  if (!given.networks.empty()) terms.networks = given.networks;
  if (!given.tenant.empty()) terms.tenant = given.tenant;
  if (given.most_per_host > 0) terms.most_per_host = given.most_per_host;
}

}  // namespace gpushape::domain
