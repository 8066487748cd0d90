// The functions of CEL that read or make text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "review/cel/value.hpp"

namespace gpushape::review::cel {

using Arguments = std::span<const Value>;

std::string lowered(std::string text);
/// matches(): RE2 looks for a match anywhere; a leading "(?i)" takes both cases.
Value found_by(const std::string& text, std::string_view pattern);
Value converted_quantity(const std::string& text);
Value converted_semver(const std::string& text, bool normalize);
Value replaced(Arguments a);
Value split_of(Arguments a);
Value substring_of(Arguments a);
Value trimmed(Arguments a);
Value joined(Arguments a);

}  // namespace gpushape::review::cel
