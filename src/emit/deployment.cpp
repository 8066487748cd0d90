// The target `deployment`: the replicas of an engine, and what every scheduler's deployment has in
// common.

#include <fmt/format.h>

#include "emit/deployments.hpp"

namespace gpushape::emit {

using document::Node;

Emitted deployed(Serving& serving, std::vector<Node> before,
                 const std::vector<Label>& further_labels) {
  if (serving.weights > Bytes(0)) before.push_back(weights_volume_claim(serving));
  before.push_back(deployment(serving, further_labels));
  if (serving.request.lifetime_seconds) {
    serving.notes.push_back(
        fmt::format("{}: a Deployment has no end of its own; gpushape.dev/"
                    "expires says when, and `-o pod` ends by itself",
                    serving.name));
  }
  return emitted_of(serving, std::move(before));
}

Result<Emitted> deploy(const EmitRequest& request, std::string_view target,
                       const GrantFunction& grant_of) {
  Result<Serving> serving = serving_of(request, target);
  if (!serving) return failure(std::move(serving.error()));
  Result<Grant> grant = grant_of(*serving);
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  return deployed(*serving, {}, {});
}

Share share_of(const Serving& serving) {
  const domain::Shape& shape = serving.picked.shape;
  constexpr int kPercent = 100;
  return {.mebibytes = shape.memory_bytes / mib(1),
          .percent_of_cores = std::max<std::int64_t>(
              1, static_cast<std::int64_t>(shape.compute_share * kPercent + 0.5))};
}

bool is_software_share(const domain::Shape& shape) {
  return shape.technology == domain::Technology::SoftwareShare ||
         shape.technology == domain::Technology::Mps;
}

Result<Emitted> emit_deployment(const EmitRequest& request) {
  return deploy(request, "deployment", [](const Serving& serving) {
    return usual_grant(serving.request, serving.picked, "deployment");
  });
}

}  // namespace gpushape::emit
