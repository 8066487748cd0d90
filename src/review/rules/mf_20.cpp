// MF-20: the variables of a VKS cluster are those of its class. The names of before release 3.2
// give "variable is not defined", and from 3.4 on the class lives in another namespace (Broadcom,
// VKS 3.7 variable documentation).
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct RenamedRow {
  std::string_view old_name;
  std::string_view now;
};
constexpr auto kRenamed = std::to_array<RenamedRow>({
    {"defaultStorageClass", "vsphereOptions.persistentVolumes.defaultStorageClass"},
    {"storageClasses", "vsphereOptions.persistentVolumes.availableStorageClasses"},
    {"nodePoolVolumes", "volumes"},
    {"ntp", "osConfiguration.ntp"},
    {"trust", "osConfiguration.trust"},
});

/// "builtin-generic-v3.4.0" -> 4.
std::optional<int> class_minor(std::string_view name) {
  constexpr std::string_view kStem = "builtin-generic-v3.";
  if (!name.starts_with(kStem)) return std::nullopt;
  name.remove_prefix(kStem.size());
  int minor = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), minor);
  if (error != std::errc()) return std::nullopt;
  return minor;
}

}  // namespace

void mf_20(const Deployment& deployment, Report& report) {
  for (const KubernetesCluster& cluster : deployment.clusters) {
    if (!cluster.cluster_class) continue;
    const auto minor = class_minor(cluster.cluster_class->value);
    if (!minor) continue;
    if (*minor >= 4 && !cluster.class_name_space) {
      report.add(*cluster.document, *cluster.cluster_class->node,
                 {.message = fmt::format("cluster {} names class {} without its namespace",
                                         cluster.name, cluster.cluster_class->value),
                  .fix = "set classNamespace: vmware-system-vks-public"});
    }
    if (*minor < 2) continue;
    for (const TopologyVariable& variable : cluster.variables) {
      for (const RenamedRow& row : kRenamed) {
        if (variable.name != row.old_name || variable.node == nullptr) continue;
        report.add(*cluster.document, *variable.node,
                   {.message = fmt::format("class {} has no variable {}",
                                           cluster.cluster_class->value, variable.name),
                    .fix = fmt::format("write it as {}", row.now)});
      }
    }
  }
}

}  // namespace gpushape::review::rules_of
