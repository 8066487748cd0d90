// The clusters that a command line names, looked up in the profile tables.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/cluster.hpp"
#include "domain/contract.hpp"
#include "domain/device.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

struct LoadedCluster {
  domain::Cluster cluster;
  std::vector<domain::Device> devices;  ///< those that its GPUs are, in the order of their ids
};

/// One cluster from one file, or from the hosts of all documents of a folder. GPUs may be named by
/// alias; what the inventory leaves open is filled in.
Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths,
                                   const profiles::Profiles& profiles);

/// The contracts of ResourceContract documents, and the best one of each Advice.
Result<std::vector<domain::ResourceContract>> read_contracts(const std::vector<std::string>& given);

}  // namespace gpushape::cli
