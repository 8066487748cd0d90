// Contracts behind documents that start nothing themselves: claims and VMs that refer to what other
// documents hold, and what offers GPUs to others. Parts of contracts_of().
#pragma once

#include <vector>

#include "review/asked_contracts.hpp"

namespace gpushape::review {

/// Claims that no pod uses; VMs and node pools whose class the documents do not hold.
void add_asked_by_reference(const Deployment& deployment, std::vector<AskedContract>& asked);

/// Device classes, layouts of nodes, sharing, tenants' clusters, where none of `asked` says the
/// same contract already.
void add_offered(const Deployment& deployment, std::vector<AskedContract>& asked);

}  // namespace gpushape::review
