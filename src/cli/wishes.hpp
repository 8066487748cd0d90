// The wish list: from the words of --gpu, the host or the cluster to devices, each with the server
// it would stand in.
#pragma once

#include <optional>
#include <vector>

#include "advise/advise.hpp"
#include "base/result.hpp"
#include "cli/cluster_files.hpp"
#include "cli/invocation.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::cli {

/// In the order of the list; every device of an `any`. Complaints of all words come together.
Result<std::vector<advise::Wish>> gather_wishes(const domain::Workload& workload,
                                                const profiles::Profiles& profiles,
                                                const std::optional<domain::Host>& host,
                                                const std::optional<LoadedCluster>& clusters,
                                                const Invocation& invocation);

}  // namespace gpushape::cli
