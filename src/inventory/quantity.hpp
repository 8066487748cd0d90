// Kubernetes quantities: "64", "3920m", "263856Mi", "1.5Gi", "2e3".
// Source: k8s.io/apimachinery pkg/api/resource/quantity.go.
#pragma once

#include <optional>
#include <string_view>

namespace gpushape::inventory {

/// Absent where the text is none, below 0 or beyond 2^60.
std::optional<double> quantity_of(std::string_view text);

}  // namespace gpushape::inventory
