// MF-06: a claim has the form of its API version, and the version serves its fields. A field whose
// feature gate is off is dropped without a word (resource.k8s.io registry, strategy.go;
// kubernetes/enhancements, kep.yaml of 4816, 5004, 5018, 5055, 5075).
#include <fmt/format.h>

#include <array>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct ServedRow {
  std::string_view version;
  int since;  ///< minor release
};
constexpr auto kServed = std::to_array<ServedRow>({{"v1", 34}, {"v1beta2", 33}, {"v1beta1", 32}});

void check_version(const document::Document& document, const document::Node& root,
                   std::string_view version, int minor, Report& report) {
  for (const ServedRow& row : kServed) {
    if (row.version != version || minor >= row.since) continue;
    const document::Node* place = root.find("apiVersion");
    report.add(
        document, place != nullptr ? *place : root,
        {.message = fmt::format("resource.k8s.io/{} is served from Kubernetes 1.{} on, and "
                                "the cluster is 1.{}",
                                version, row.since, minor),
         .fix = fmt::format("write resource.k8s.io/{}", minor >= 33 ? "v1beta2" : "v1beta1")});
  }
}

void check_form(const Claim& claim, const ClaimRequest& request, Report& report) {
  const bool is_flat_version = claim.version == "v1beta1" || claim.version == "v1alpha3";
  if (request.is_flat && !is_flat_version) {
    report.add(
        *claim.document, *request.node,
        {.message = fmt::format("request '{}' has the flat form of v1beta1, and the claim is "
                                "{}: it needs `exactly` or `firstAvailable`",
                                request.name, claim.version),
         .fix = "put deviceClassName and what belongs to it under `exactly:`"});
  } else if (is_flat_version && request.exactly != nullptr) {
    report.add(*claim.document, *request.exactly,
               {.message = fmt::format("request '{}' uses `exactly`, which v1beta1 does not have",
                                       request.name),
                .fix = "write resource.k8s.io/v1, or put the fields beside the name"});
  } else if (!is_flat_version && !request.is_flat && request.exactly == nullptr &&
             request.first_available == nullptr) {
    report.add(*claim.document, *request.node,
               {.message = fmt::format("request '{}' has neither `exactly` nor `firstAvailable`",
                                       request.name)});
  }
}

void check_gate(const Claim& claim, const document::Node* field, std::string_view name,
                std::string_view gate, int on_since, int minor, Report& report) {
  if (field == nullptr || minor >= on_since) return;
  report.add(*claim.document, *field,
             {.message = fmt::format("{} of claim {} needs feature gate {}, on from Kubernetes "
                                     "1.{}: 1.{} drops the field silently",
                                     name, claim.name, gate, on_since, minor),
              .fix = fmt::format("switch {} on in the API server and the scheduler, or leave the "
                                 "field out",
                                 gate),
              .severity = domain::Severity::Warning});
}

void check_gates(const Claim& claim, const ClaimRequest& request, int minor, Report& report) {
  check_gate(claim, request.first_available, "firstAvailable", "DRAPrioritizedList", 34, minor,
             report);
  check_gate(claim, request.tolerations, "tolerations", "DRADeviceTaints", 36, minor, report);
  if (request.admin_access) {
    check_gate(claim, request.admin_access->node, "adminAccess", "DRAAdminAccess", 34, minor,
               report);
  }
  if (!request.capacity.empty()) {
    check_gate(claim, request.capacity.front().node, "capacity", "DRAConsumableCapacity", 36, minor,
               report);
  }
  for (const ClaimRequest& alternative : request.alternatives) {
    check_gates(claim, alternative, minor, report);
  }
}

}  // namespace

void mf_06(const Deployment& deployment, Report& report) {
  const auto minor = kubernetes_minor(deployment);
  for (const Claim& claim : deployment.claims) {
    if (minor) check_version(*claim.document, *claim.root, claim.version, *minor, report);
    for (const ClaimRequest& request : claim.requests) {
      check_form(claim, request, report);
      if (minor) check_gates(claim, request, *minor, report);
    }
  }
  for (const DeviceClass& row : deployment.device_classes) {
    if (minor) check_version(*row.document, *row.root, row.version, *minor, report);
    if (minor && *minor < 36 && row.extended_resource) {
      report.add(
          *row.document, *row.extended_resource->node,
          {.message = fmt::format("extendedResourceName of DeviceClass {} needs feature gate "
                                  "DRAExtendedResource, on from Kubernetes 1.36",
                                  row.name),
           .severity = domain::Severity::Warning});
    }
  }
  for (const PodRequest& pod : deployment.pods) {
    for (const PodClaim& claim : pod.claims) {
      if (!claim.has_source) continue;
      report.add(*pod.document, *claim.node,
                 {.message = fmt::format("{} names a claim under `source:`, a form that is gone "
                                         "since Kubernetes 1.31",
                                         pod.title()),
                  .fix = "put resourceClaimName or resourceClaimTemplateName beside the name"});
    }
  }
}

}  // namespace gpushape::review::rules_of
