// MF-17: Kueue counts the claim. It takes ResourceClaimTemplates with `exactly` and a count alone
// (Kueue, Dynamic Resource Allocation: limitations).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct Uncounted {
  std::string_view what;
  const document::Node* node = nullptr;
};

std::optional<Uncounted> uncounted_part(const Claim& claim) {
  for (const ClaimRequest& request : claim.requests) {
    if (request.first_available != nullptr)
      return Uncounted{"firstAvailable", request.first_available};
    if (request.takes_all) return Uncounted{"allocationMode All", request.node};
    if (request.admin_access && request.admin_access->value) {
      return Uncounted{"adminAccess", request.admin_access->node};
    }
  }
  if (!claim.constraints.empty()) return Uncounted{"constraints", claim.constraints.front().node};
  if (!claim.configs.empty()) return Uncounted{"config", claim.configs.front().node};
  return std::nullopt;
}

}  // namespace

void mf_17(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    constexpr std::string_view kQueue = "kueue.x-k8s.io/queue-name";
    const NamedText* queue = pod.label(kQueue);
    if (queue == nullptr) queue = find_name(pod.object_labels, kQueue);
    if (queue == nullptr) continue;
    for (const GpuAsk& ask : pod.gpus) {
      if (ask.kind != GrantKind::Claim || ask.claim == nullptr) continue;
      const auto part = uncounted_part(*ask.claim);
      if (!part || part->node == nullptr) continue;
      report.add(
          *ask.claim->document, *part->node,
          {.message = fmt::format("claim {} of {} has {}, which Kueue cannot count: queue {} "
                                  "never admits it",
                                  ask.claim->name, pod.title(), part->what, queue->value)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
