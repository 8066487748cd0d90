// MF-08: a claim belongs to one pod, and a container uses it. A ResourceClaim named by a workload
// of several replicas is one device for all of them; a claim that no container names is allocated
// and given to nobody (Kubernetes, Dynamic Resource Allocation).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool is_claim_used(const PodRequest& pod, std::string_view name) {
  return std::ranges::any_of(pod.containers, [&](const Container& container) {
    return std::ranges::any_of(container.claims,
                               [&](const ClaimUse& use) { return use.claim == name; });
  });
}

/// A channel between nodes, a configuration that says how the devices are shared, or a claim whose
/// form or devices nobody here knows: it may be meant to be shared.
bool may_be_shared(const Deployment& deployment, const PodRequest& pod, const PodClaim& row) {
  const Claim* claim = deployment.find_claim(row.claim->value, pod.name_space, false);
  if (claim == nullptr || claim->requests.empty()) return true;
  const bool has_sharing = std::ranges::any_of(
      claim->configs, [](const ClaimConfig& config) { return config.strategy.has_value(); });
  return has_sharing || std::ranges::any_of(claim->requests, [](const ClaimRequest& request) {
           const ClaimRequest& first =
               request.alternatives.empty() ? request : request.alternatives.front();
           return !first.device_class ||
                  meaning_of_class(first.device_class->value) == ClassMeaning::ComputeDomain;
         });
}

void check_uses(const PodRequest& pod, Report& report) {
  for (const Container& container : pod.containers) {
    for (const ClaimUse& use : container.claims) {
      if (pod.pod_claim(use.claim) != nullptr || use.node == nullptr) continue;
      report.add(*pod.document, *use.node,
                 {.message = fmt::format("container {} of {} uses claim '{}', which the pod does "
                                         "not list under resourceClaims",
                                         container.name, pod.title(), use.claim),
                  .fix = "add it to resourceClaims of the pod",
                  .severity = domain::Severity::Error});
    }
  }
}

}  // namespace

void mf_08(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    if (pod.source != PodSource::Kubernetes || pod.spec == nullptr) continue;
    const bool is_vm = pod.guest_memory_bytes.has_value() || pod.kind.starts_with("VirtualMachine");
    const std::int64_t pods = pod.replicas * pod.pods_per_replica;
    for (const PodClaim& claim : pod.claims) {
      if (claim.claim && pods > 1 && !may_be_shared(deployment, pod, claim)) {
        report.add(*pod.document, *claim.claim->node,
                   {.message = fmt::format("{} runs {} pods on the one claim {}: they share its "
                                           "devices",
                                           pod.title(), pods, claim.claim->value),
                    .fix = "name a ResourceClaimTemplate in resourceClaimTemplateName: each pod "
                           "gets a claim of its own"});
      }
      if (is_vm || pod.containers.empty() || is_claim_used(pod, claim.name)) continue;
      report.add(*pod.document, *claim.node,
                 {.message = fmt::format("no container of {} uses claim '{}': its devices are held "
                                         "and nobody sees them",
                                         pod.title(), claim.name),
                  .fix = "name it in resources.claims of a container"});
    }
    if (!is_vm) check_uses(pod, report);
  }
}

}  // namespace gpushape::review::rules_of
