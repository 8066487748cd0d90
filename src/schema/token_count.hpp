// A number of tokens as people write it: "8192", "32k", "1m". The suffixes take k = 1 024, on the
// command line and in documents alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpushape::schema {

/// Nothing for a text that is no whole, non-negative number with at most one suffix, or that does
/// not fit 64 bits.
std::optional<std::int64_t> token_count(std::string_view text);

}  // namespace gpushape::schema
