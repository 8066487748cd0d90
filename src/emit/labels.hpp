// Names as Kubernetes accepts them: DNS labels (RFC 1123), and keys and values of labels.
// Source: kubernetes/apimachinery pkg/util/validation.
#pragma once

#include <string>
#include <string_view>

namespace gpushape::emit {

bool is_label(std::string_view text);
/// The key of a label or annotation: an optional DNS prefix and '/', then a name.
bool is_qualified_name(std::string_view text);
bool is_label_value(std::string_view text);

/// The nearest DNS label: lower case, everything else a '-', nothing at the ends, 63 at most. Empty
/// where nothing is left.
std::string label_of(std::string_view text);
/// `label` cut to 63; what is cut off is replaced by a hash of the whole, so that two long names
/// stay different.
std::string fitted_label(const std::string& label);

}  // namespace gpushape::emit
