#include <algorithm>

#include "document/node.hpp"

namespace gpushape::document {
namespace {

// A line longer than this is shown as a window around the place; ours: two lines of a terminal.
constexpr std::size_t kLongestExcerpt = 160;
constexpr std::size_t kBeforePlace = 60;

constexpr int kLinesPerMark = 128;

std::string_view whole_line(const Source& source, int number) {
  const std::string_view text = source.text;
  const auto mark = static_cast<std::size_t>((number - 1) / kLinesPerMark);
  std::size_t start = 0;
  int first = 1;
  if (!source.marks.empty()) {
    if (mark >= source.marks.size()) return {};
    start = source.marks[mark];
    first += static_cast<int>(mark) * kLinesPerMark;
  }
  for (int line = first; line < number; ++line) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return {};
    start = end + 1;
  }
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Columns count bytes, and a window must not begin or end within a character.
bool is_inside_character(std::string_view text, std::size_t index) {
  return index < text.size() && (static_cast<unsigned char>(text[index]) & 0xC0U) == 0x80U;
}

}  // namespace

std::vector<std::size_t> line_marks(std::string_view text) {
  std::vector<std::size_t> marks = {0};
  int line = 1;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    if (++line % kLinesPerMark == 1) marks.push_back(end + 1);
  }
  return marks;
}

SourceSpan Source::span(Position position) const {
  return {file, position.line, position.column, position.length};
}

std::string Source::line(int number) const {
  return number < 1 ? std::string() : std::string(whole_line(*this, number));
}

Diagnostic Source::diagnostic(Position position, std::string message, std::string help,
                              std::string label) const {
  Diagnostic result{.message = std::move(message),
                    .span = span(position),
                    .excerpt = {},
                    .label = std::move(label),
                    .help = std::move(help)};
  if (position.line < 1) return result;
  const std::string_view line = whole_line(*this, position.line);
  if (line.size() <= kLongestExcerpt) {
    result.excerpt = line;
    return result;
  }
  const std::size_t place =
      std::min(static_cast<std::size_t>(std::max(position.column - 1, 0)), line.size());
  std::size_t first = place > kBeforePlace ? place - kBeforePlace : 0;
  while (is_inside_character(line, first)) ++first;
  std::size_t end = std::min(first + kLongestExcerpt, line.size());
  while (end > first && is_inside_character(line, end)) --end;
  result.excerpt = line.substr(first, end - first);
  result.excerpt_column = static_cast<int>(first) + 1;
  return result;
}

}  // namespace gpushape::document
