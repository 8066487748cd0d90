// KB-04: an API version that clusters still serve. Sources: Kubernetes, deprecated API migration
// guide; resource.k8s.io versions of 1.31 to 1.34; VMware, v1alpha2 of TanzuKubernetesCluster.
#include <fmt/format.h>

#include <array>

#include "review/edits.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct DeprecatedRow {
  std::string_view api_version;
  std::string_view kind;  ///< empty: every kind
  std::string_view now;
  int gone_in;  ///< Kubernetes minor release; 0: not of Kubernetes itself
  /// Nothing but the version changes, where the field named here is there; "-": nothing anyhow.
  std::string_view same_with = {};
};
constexpr auto kDeprecated = std::to_array<DeprecatedRow>({
    {"resource.k8s.io/v1alpha1", "", "resource.k8s.io/v1", 27},
    {"resource.k8s.io/v1alpha2", "", "resource.k8s.io/v1", 31},
    {"resource.k8s.io/v1alpha3", "ResourceClaim", "resource.k8s.io/v1", 34},
    {"resource.k8s.io/v1alpha3", "ResourceClaimTemplate", "resource.k8s.io/v1", 34},
    {"resource.k8s.io/v1alpha3", "DeviceClass", "resource.k8s.io/v1", 34},
    {"extensions/v1beta1", "Deployment", "apps/v1", 16, "selector"},
    {"apps/v1beta1", "", "apps/v1", 16, "selector"},
    {"apps/v1beta2", "", "apps/v1", 16, "selector"},
    {"batch/v1beta1", "CronJob", "batch/v1", 25, "-"},
    {"autoscaling/v2beta1", "", "autoscaling/v2", 25},
    {"autoscaling/v2beta2", "", "autoscaling/v2", 26, "-"},
    {"policy/v1beta1", "PodDisruptionBudget", "policy/v1", 25, "selector"},
    {"policy/v1beta1", "PodSecurityPolicy", "pod security admission in its place", 25},
    {"extensions/v1beta1", "DaemonSet", "apps/v1", 16, "selector"},
    {"extensions/v1beta1", "Ingress", "networking.k8s.io/v1", 22},
    {"networking.k8s.io/v1beta1", "Ingress", "networking.k8s.io/v1", 22},
    {"networking.k8s.io/v1beta1", "IngressClass", "networking.k8s.io/v1", 22, "-"},
    {"scheduling.k8s.io/v1beta1", "PriorityClass", "scheduling.k8s.io/v1", 22, "-"},
    {"node.k8s.io/v1beta1", "RuntimeClass", "node.k8s.io/v1", 25, "-"},
    {"storage.k8s.io/v1beta1", "StorageClass", "storage.k8s.io/v1", 22, "-"},
    {"rbac.authorization.k8s.io/v1beta1", "", "rbac.authorization.k8s.io/v1", 22, "-"},
    {"run.tanzu.vmware.com/v1alpha2", "TanzuKubernetesCluster", "cluster.x-k8s.io/v1beta1 Cluster",
     0},
    {"scheduling.volcano.sh/v1alpha1", "", "scheduling.volcano.sh/v1beta1", 0},
    {"gpu.resource.nvidia.com/v1alpha1", "", "resource.nvidia.com/v1beta1", 0},
    {"gpu.nvidia.com/v1alpha1", "", "resource.nvidia.com/v1beta1", 0},
});

/// The guide to migration names no other change, and what became a must is there.
Edits same_document(const document::Document& document, const document::Node* place,
                    const document::Node* root, const DeprecatedRow& row) {
  if (place == nullptr || root == nullptr || row.same_with.empty()) return {};
  if (row.same_with != "-" && at(*root, {"spec", row.same_with}) == nullptr) return {};
  return replace_text(document, *place, row.now);
}

void check_api_version(const document::Document& document, const document::Node* root,
                       const document::Node* place, std::string_view api_version,
                       std::string_view kind, std::optional<int> minor, Report& report) {
  for (const DeprecatedRow& row : kDeprecated) {
    if (row.api_version != api_version || (!row.kind.empty() && row.kind != kind)) continue;
    const bool is_gone = row.gone_in > 0 && (!minor || *minor >= row.gone_in);
    report.add(
        document, place != nullptr ? *place : document.root,
        {.message = row.gone_in > 0 ? fmt::format("{} of {} is gone since Kubernetes 1.{}",
                                                  api_version, kind, row.gone_in)
                                    : fmt::format("{} of {} is deprecated", api_version, kind),
         .fix = fmt::format("write {}", row.now),
         .severity = is_gone ? domain::Severity::Error : domain::Severity::Warning,
         .edits = same_document(document, place, root, row)});
    return;
  }
}

}  // namespace

void kb_04(const Deployment& deployment, Report& report) {
  const auto minor = kubernetes_minor(deployment);
  for (const Object& object : deployment.objects) {
    check_api_version(*object.document, object.root, object.root->find("apiVersion"),
                      object.api_version, object.kind, minor, report);
  }
  for (const Claim& claim : deployment.claims) {
    for (const ClaimConfig& config : claim.configs) {
      if (config.parameters == nullptr) continue;
      const auto version = text_at(*config.parameters, {"apiVersion"});
      if (version) {
        check_api_version(*claim.document, nullptr, version->node, version->value,
                          config.kind.empty() ? "parameters" : std::string_view(config.kind), minor,
                          report);
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
