// What a YAML scalar that stands without quotes means, and which strings need quotes.
#pragma once

#include <string_view>

#include "document/node.hpp"

namespace gpushape::document {

/// As Kubernetes reads it: YAML 1.1 by the rules of go-yaml 2 (resolve.go), on which
/// sigs.k8s.io/yaml stands. "yes" and "y" are Booleans, 0777 is octal, 1_000 a thousand; base 60 is
/// not read, and a date stays a string.
Node resolve_plain(std::string_view text);

/// No reader of YAML 1.1 or 1.2 takes this text, standing in block style without quotes, for
/// anything but this string.
bool is_safe_unquoted(std::string_view text);

/// The value of a decimal number that the caller has checked ("-1.5e3"); infinite or zero where it
/// is beyond the range of a double.
double to_double(std::string_view decimal);

}  // namespace gpushape::document
