// RV-09: an assignment policy is set where it counts. It chooses the GPU for same-size vGPUs;
// mixed- size and MIG placements do not ask for it (F. Denneman, host modes and assignment
// policies).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/tenancy.hpp"

namespace gpushape::review::rules_of {

void rv_09(const Deployment& deployment, Report& report) {
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return;
  bool has_gpus = false;
  for (const domain::ClusterHost& host : cluster->hosts) {
    for (const domain::Gpu& gpu : host.gpus) {
      has_gpus = true;
      const bool counts = std::ranges::find(gpu.allowed_modes, domain::GpuMode::SameSize) !=
                          gpu.allowed_modes.end();
      if (counts) return;
    }
  }
  if (!has_gpus) return;
  each_platform(
      deployment, report, "assignmentPolicy",
      [](const domain::PlatformFacts& facts) { return facts.assignment_policy.has_value(); },
      [&](const domain::PlatformFacts& facts) {
        return Remark{.message = fmt::format("assignment policy {} has no effect: no GPU of {} is "
                                             "in same-size mode",
                                             name_of(*facts.assignment_policy), cluster->name)};
      });
}

}  // namespace gpushape::review::rules_of
