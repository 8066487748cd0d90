// Kubernetes quantities: "240Gi", "16000m", "1.5e3", 12. Source: kubernetes/apimachinery
// pkg/api/resource/quantity.go.
#pragma once

#include <optional>

#include "document/node.hpp"

namespace gpushape::review {

/// The value of a quantity in its base unit (bytes, cores …); nothing where the node is none.
std::optional<double> quantity_of(const document::Node& node);

}  // namespace gpushape::review
