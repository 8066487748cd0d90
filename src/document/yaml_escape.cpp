#include "document/yaml_escape.hpp"

#include <algorithm>
#include <cstddef>

#include "document/unicode.hpp"

namespace gpushape::document {

std::optional<std::string> with_whole_characters(const std::string& parsed) {
  if (!first_invalid_byte(parsed)) return std::nullopt;
  std::string text;
  for (std::size_t at = 0; at < parsed.size();) {
    const std::size_t length = character_length(parsed, at);
    if (length > 0) {
      text.append(parsed, at, length);
    } else {
      append_character(text, static_cast<unsigned char>(parsed[at]));
    }
    at += std::max<std::size_t>(1, length);
  }
  return text;
}

}  // namespace gpushape::document
