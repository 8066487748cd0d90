// The clusters that a command line names, looked up in the profile tables.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "domain/cluster.hpp"
#include "domain/contract.hpp"
#include "domain/device.hpp"
#include "inventory/import.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

/// One of the clusters that were read together: its hosts stand in a row.
struct ClusterPart {
  std::string name;
  std::size_t first = 0;
  std::size_t hosts = 0;

  [[nodiscard]] bool has(std::size_t host) const { return host >= first && host - first < hosts; }
};

struct LoadedCluster {
  domain::Cluster cluster;
  std::vector<domain::Device> devices;  ///< those that its GPUs are, in the order of their ids
  std::vector<ClusterPart> parts;       ///< one for each document
  std::vector<inventory::ImportNote> notes;
};

/// One cluster from one file, or from all documents of several files and folders; a file may also
/// be what `inventory import` reads. GPUs may be named by alias; what the inventory leaves open is
/// filled in. Hosts and VMs whose names repeat get their cluster's name in front.
Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths,
                                   const profiles::Profiles& profiles);

/// Files, and those of folders, as one import.
Result<inventory::Imported> import_paths(const std::vector<std::string>& paths,
                                         const inventory::ImportOptions& options,
                                         const profiles::Profiles& profiles);

/// "left out: … (nodes.json:12)", a line each.
std::string to_text(const std::vector<inventory::ImportNote>& notes);

/// For each document its contracts, the preferred one first: that of a ResourceContract, those of
/// the shapes of an Advice that fit, and likewise what is advised for a Workload on the
/// invocation's clusters or host.
Result<std::vector<std::vector<domain::ResourceContract>>> read_contract_choices(
    const std::vector<std::string>& given, const Invocation& invocation);

/// The contracts of ResourceContract documents, the best one of each Advice, and what is advised
/// for each Workload on the invocation's clusters.
Result<std::vector<domain::ResourceContract>> read_contracts(const std::vector<std::string>& given,
                                                             const Invocation& invocation);

}  // namespace gpushape::cli
