// The text of a Kubernetes quantity: "64", "3920m", "263856Mi", "1.5Gi", "2e3".
// Source: k8s.io/apimachinery pkg/api/resource/quantity.go.
#pragma once

#include <optional>
#include <string_view>

namespace gpushape::document {

/// In the base unit (bytes, cores …), below 0 as well; absent where the text is none.
std::optional<double> quantity_of(std::string_view text);

}  // namespace gpushape::document
