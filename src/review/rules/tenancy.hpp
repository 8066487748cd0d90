// Teams that share GPUs, as far as labels and Platform documents tell. Nothing is guessed from
// names: two namespaces are two tenants only where labels say so.
#pragma once

#include <string>
#include <vector>

#include "review/deployment.hpp"
#include "review/rules.hpp"

namespace gpushape::review {

/// The team that a pod belongs to: by a label of its own, or of its namespace's object. Empty: not
/// said.
std::string tenant_of(const Deployment& deployment, const PodRequest& pod);

struct GpuTenant {
  std::string name;
  std::vector<const PodRequest*> pods;  ///< with GPUs, in the order of the documents
};
/// In the order of their first pods.
std::vector<GpuTenant> gpu_tenants(const Deployment& deployment);
/// "research and web", "a, b and 2 more"
std::string names_of_tenants(const std::vector<GpuTenant>& tenants);

/// Documents among these part tenants by more than a namespace: virtual clusters, or a Platform
/// document that says so.
bool has_own_control_planes(const Deployment& deployment);

/// Reports for every Platform document in which `is_it` holds, at that field.
template <class Condition, class Message>
void each_platform(const Deployment& deployment, Report& report, std::string_view field,
                   Condition is_it, Message message) {
  for (const StatedPlatform& platform : deployment.platforms) {
    if (!is_it(platform.facts)) continue;
    report.add(*platform.document, platform.place(field), message(platform.facts));
  }
}

/// "9 teams share", "teams share" where their number is not known.
std::string teams_text(const domain::PlatformFacts& facts);

}  // namespace gpushape::review
