// Which hosts a search may take for one another: those of one class differ in nothing that a filter
// looks at, but for their present state. Hosts of equal keys have equal futures, whatever their
// names.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "place/snapshot.hpp"

namespace gpushape::place {

/// The class, the GPUs' states, free thousandths of cores, free MHz (-1: not counted), free memory,
/// and how many of each group of VMs run there.
using HostKey = std::tuple<std::size_t, std::vector<StateId>, std::int64_t, std::int64_t,
                           std::int64_t, std::vector<GroupCount>>;

class HostClasses {
 public:
  /// By the hosts' make, which no placement changes. Hosts that `requests` name by a device's
  /// address stand alone.
  HostClasses(const Snapshot& snapshot, bool tells_addresses_apart);

  [[nodiscard]] HostKey key_of(const Snapshot& snapshot, std::size_t host) const;
  /// The keys of all hosts that are up, sorted: the cluster without its names.
  [[nodiscard]] std::vector<HostKey> keys_of(const Snapshot& snapshot) const;

 private:
  std::vector<std::size_t> classes_;  ///< by host
};

}  // namespace gpushape::place
