// Advice held against clusters that exist: the GPUs and servers that may be wished for, and which
// shapes find a place now.
#pragma once

#include <optional>

#include "cli/cluster_files.hpp"
#include "domain/advice.hpp"
#include "domain/host.hpp"

namespace gpushape::cli {

/// The server that a device of the clusters sits in: the first host with a known server model that
/// has it. Absent where none is known.
std::optional<domain::Host> server_with(const LoadedCluster& loaded, const std::string& device);

/// Says of every shape how often it finds a place now, where the first one would land, and which
/// slots of the expected requests that leaves; shapes that find one come before those that do not.
void rank_by_cluster(domain::Advice& advice, const LoadedCluster& loaded);

}  // namespace gpushape::cli
