#include "document/yaml_places.hpp"

#include <algorithm>

namespace gpushape::document {
namespace {

std::size_t closing_quote(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool is_doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!is_doubled) return i;
      ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

char letter_at(std::string_view text, std::size_t offset) {
  return offset < text.size() ? text[offset] : '\n';
}

YamlPlace place_of(std::string_view text, const YAML::Mark& mark) {
  YamlPlace place{.position = {.line = mark.line + 1, .column = mark.column + 1},
                  .offset = static_cast<std::size_t>(std::max(mark.pos, 0))};
  while (letter_at(text, place.offset) == '&' || letter_at(text, place.offset) == '!') {
    std::size_t next = std::min(text.find_first_of(" \t\r\n", place.offset), text.size());
    next = std::min(text.find_first_not_of(" \t\r", next), text.size());
    if (letter_at(text, next) == '\n') break;  // the content is on a later line; its anchor will do
    place.position.column += static_cast<int>(next - place.offset);
    place.offset = next;
  }
  return place;
}

Position with_length(const YamlPlace& place, std::size_t length) {
  Position position = place.position;
  position.length = static_cast<int>(std::max(length, std::size_t{1}));
  return position;
}

std::size_t length_of_null(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (!rest.starts_with(word)) continue;
    const char next = letter_at(text, offset + word.size());
    if (std::string_view(" \t\r\n,]}").contains(next)) return word.size();
  }
  return 0;
}

std::optional<std::size_t> length_on_first_line(std::string_view text, std::size_t offset,
                                                std::string_view value) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  const char first = letter_at(text, offset);
  if (first == '|' || first == '>') return 1;
  // Looks no further than the scalar goes: a file may be one line.
  std::string_view whole = rest;
  if (first == '"' || first == '\'') {
    const std::size_t closing = closing_quote(rest);
    if (closing == std::string_view::npos) return std::nullopt;
    whole = rest.substr(0, closing + 1);
  } else if (rest.starts_with(value)) {
    whole = value;
  }
  const std::string_view line = whole.substr(0, whole.find_first_of("\r\n"));
  return line.find_last_not_of(" \t") + 1;
}

}  // namespace gpushape::document
