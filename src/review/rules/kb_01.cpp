// KB-01: some known device satisfies the request. Selectors are evaluated on what NVIDIA's driver
// publishes for every product of the tables (published.hpp).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void kb_01(const Deployment& deployment, Report& report) {
  if (deployment.claims.empty()) return;
  each_request(deployment, [&](const Claim& claim, const ClaimRequest& request) {
    const DeviceMatch& match = match_devices(deployment, request);
    // A threshold at the nominal size is MF-03's to explain.
    if (!match.is_judged || !match.yes.empty() || !match.maybe.empty() || !match.nearly.empty()) {
      return;
    }
    const document::Node& place =
        !request.selectors.empty() ? *request.selectors.front().node : *request.device_class->node;
    report.add(*claim.document, place,
               {.message = fmt::format("no device of the tables satisfies request '{}' of class "
                                       "{}{}{}",
                                       request.name, request.device_class->value,
                                       match.error.empty() ? "" : ": ", match.error)});
  });
}

}  // namespace gpushape::review::rules_of
