// Deployments under any scheduler: the same pods, with a grant of GPUs of the scheduler's own.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "emit/serving.hpp"

namespace gpushape::emit {

using GrantFunction = std::function<Result<Grant>(const Serving&)>;

/// Volume claim and deployment of the first picked shape.
Result<Emitted> deploy(const EmitRequest& request, std::string_view target,
                       const GrantFunction& grant_of);
/// The same with documents before them and labels of the deployment itself.
Emitted deployed(Serving& serving, std::vector<document::Node> before,
                 const std::vector<Label>& further_labels);

/// What a library or a scheduler is told of a share of one card.
struct Share {
  std::int64_t mebibytes = 0;         ///< of device memory, rounded down
  std::int64_t percent_of_cores = 0;  ///< of the card, at least 1
};
Share share_of(const Serving& serving);
/// A share that no device and no hypervisor makes.
bool is_software_share(const domain::Shape& shape);

}  // namespace gpushape::emit
