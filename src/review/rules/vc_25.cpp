// VC-25: one pcieRoot for several GPUs cannot be: on 8-GPU servers every GPU has a root of its own
// (ResourceSlice of an EKS p5 node), and inside a VM the root is that of the virtual bus.
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool is_constrained(const ClaimConstraint& constraint, const ClaimRequest& request) {
  return constraint.requests.empty() ||
         std::ranges::any_of(constraint.requests, [&](std::string_view name) {
           return name.substr(0, name.find('/')) == request.name;
         });
}

std::int64_t whole_gpus(const Claim& claim, const ClaimConstraint& constraint) {
  std::int64_t count = 0;
  for (const ClaimRequest& request : claim.requests) {
    if (!is_constrained(constraint, request)) continue;
    const ClaimRequest& first =
        request.alternatives.empty() ? request : request.alternatives.front();
    if (!first.device_class ||
        meaning_of_class(first.device_class->value) != ClassMeaning::WholeGpu) {
      continue;
    }
    count += first.takes_all ? 2 : first.count;
  }
  return count;
}

}  // namespace

void vc_25(const Deployment& deployment, Report& report) {
  for (const Claim& claim : deployment.claims) {
    for (const ClaimConstraint& constraint : claim.constraints) {
      if (!constraint.match_attribute ||
          constraint.match_attribute->value != "resource.kubernetes.io/pcieRoot") {
        continue;
      }
      const std::int64_t gpus = whole_gpus(claim, constraint);
      if (gpus < 2) continue;
      report.add(*claim.document, *constraint.match_attribute->node,
                 {.message = fmt::format("claim {} wants {} GPUs behind one PCIe root, and each "
                                         "GPU of a server has its own",
                                         claim.name, gpus)});
    }
  }
}

}  // namespace gpushape::review::rules_of
