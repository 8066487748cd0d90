// Shares of a device that software keeps, where there is neither a vGPU nor a MIG instance: MPS,
// and what HAMi or KAI Scheduler count or limit. They hold memory apart inside one tenant, and
// little else.
//
// Sources: NVIDIA, Multi-Process Service, sections Volta MPS Execution Resource Provisioning,
// Memory Limits and Error Containment; HAMi 2.x, README and docs/mig-hami-core; KAI Scheduler,
// docs/gpu-sharing: "KAI Scheduler does not enforce memory allocation limit or perform memory
// isolation between processes".
#pragma once

#include <string>
#include <vector>

#include "advise/candidates.hpp"

namespace gpushape::advise {

bool is_software_share(domain::Technology technology);

/// Halves of the device, down to one part in `nesting_parts`, largest first. `asked` keeps one
/// technology. Bare metal has no scheduler that could count shares.
std::vector<Candidate> software_shares(const Wish& wish, domain::Platform platform,
                                       const std::optional<domain::Technology>& asked,
                                       const Thresholds& thresholds);

/// In a plain word, what a share does not keep apart.
std::string what_is_not_isolated(domain::Technology technology);

}  // namespace gpushape::advise
