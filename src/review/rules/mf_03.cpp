// MF-03: a threshold stands at or below what the device publishes. An "80 GB" H100 publishes
// 81559Mi, less than 80Gi; an H200 143771Mi, less than 141Gi (ResourceSlices of EKS, OpenShift).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mf_03(const Deployment& deployment, Report& report) {
  if (deployment.claims.empty()) return;
  each_request(deployment, [&](const Claim& claim, const ClaimRequest& request) {
    if (request.selectors.empty()) return;
    const DeviceMatch& match = match_devices(deployment, request);
    if (match.nearly.empty()) return;
    const PublishedGpu& first = *match.nearly.front();
    const bool is_empty = match.yes.empty() && match.maybe.empty();
    const auto bytes = static_cast<double>(first.product->nvml_bytes->count());
    report.add(
        *claim.document, *request.selectors.back().node,
        {.message = fmt::format("request '{}' leaves out {}, which publishes {}: its "
                                "threshold is what the name says, {}Gi",
                                request.name, names_of(match.nearly), quantity_text(bytes),
                                first.product->nominal_gb),
         .fix = fmt::format("compare with {}, or a rounder number below it", quantity_text(bytes)),
         .severity = is_empty ? domain::Severity::Error : domain::Severity::Warning});
  });
}

}  // namespace gpushape::review::rules_of
