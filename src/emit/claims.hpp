// The body of a ResourceClaim, which claims, templates and what refers to them have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "emit/manifest.hpp"

namespace gpushape::emit {

inline constexpr std::string_view kClaimRequest = "gpu";  ///< the name of the one request

struct ClaimBody {
  std::string api;  ///< "resource.k8s.io/v1"
  document::Node spec = document::Node::mapping();
  std::string name;  ///< of the claim or template; the same wherever it is referred to
  std::string head;  ///< comment above the document
  std::vector<std::string> notes;
  std::string replicas_note;  ///< what several replicas mean for a claim; empty for one
  const domain::RankedShape* first = nullptr;
};

/// The wishes that one request can hold for what is written beside it: engines that start with the
/// same flags, one wish for Kueue, cards for KubeVirt.
Result<ClaimBody> claim_body(const EmitRequest& request);

/// The requests of a claim: one, or one for every card where a VM takes each by its name.
std::vector<std::string> request_names(const EmitRequest& request, const domain::Shape& shape);

/// The name that a claim or template of this request has.
std::string claim_name(const EmitRequest& request);

/// "resource.k8s.io/v1" and the like of that Kubernetes release.
Result<std::string> claim_api(const std::string& kubernetes);

}  // namespace gpushape::emit
