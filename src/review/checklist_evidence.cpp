#include "review/checklist_evidence.hpp"

#include <algorithm>

namespace gpushape::review {

MaybeTold ChecklistEvidence::found(std::initializer_list<std::string_view> rules) const {
  for (const domain::Finding& finding : findings_) {
    if (std::ranges::find(rules, std::string_view(finding.rule)) == rules.end()) continue;
    return Told{false, fmt::format("{}: {}", finding.rule, finding.message), finding.place};
  }
  return std::nullopt;
}

MaybeTold ChecklistEvidence::tenant_cluster(bool needs_nodes, std::string because) const {
  for (const VirtualClusterValues& values : deployment_.virtual_clusters) {
    const bool has_nodes =
        values.has_auto_nodes || (values.private_nodes && values.private_nodes->value);
    if (needs_nodes && !has_nodes) continue;
    return yes(*values.document, *values.root, std::move(because));
  }
  return std::nullopt;
}

MaybeTold first_of(std::initializer_list<MaybeTold> told) {
  for (const MaybeTold& each : told) {
    if (each) return each;
  }
  return std::nullopt;
}

}  // namespace gpushape::review
