// Escapes that yaml-cpp reads wrongly: it makes one byte each of "\N" and "\_" (src/exp.cpp,
// Escape), which stand for the characters U+0085 and U+00A0 (YAML 1.2.2, 5.7).
#pragma once

#include <optional>
#include <string>

namespace gpushape::document {

/// A scalar as yaml-cpp parsed it, with whole characters; nothing where it has them already. The
/// text it was parsed from is valid UTF-8.
std::optional<std::string> with_whole_characters(const std::string& parsed);

}  // namespace gpushape::document
