#include "base/diagnostic.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gpushape {
namespace {

constexpr std::size_t kLongestCaret = 60;

// Input may hold anything; a terminal must not act on it.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    const auto code = static_cast<unsigned char>(letter);
    if ((code < 0x20 && letter != '\n' && letter != '\t') || code == 0x7F) letter = '?';
  }
  return result;
}

bool begins_character(char letter) { return (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U; }

// As wide as `text`, and with the same tabs, so that what follows stands below what follows it.
std::string blank(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (begins_character(letter)) result += letter == '\t' ? '\t' : ' ';
  }
  return result;
}

std::string excerpt_with_caret(const Diagnostic& diagnostic) {
  const SourceSpan& span = diagnostic.span;
  const std::string_view excerpt = diagnostic.excerpt;
  const std::string_view cut = diagnostic.excerpt_column > 1 ? "..." : "";
  const auto place = static_cast<std::size_t>(std::max(span.column - diagnostic.excerpt_column, 0));
  const std::size_t before = std::min(place, excerpt.size());
  const std::string_view marked =
      excerpt.substr(before, static_cast<std::size_t>(std::max(span.length, 1)));
  const auto carets = static_cast<std::size_t>(std::ranges::count_if(marked, begins_character));

  const std::string number = std::to_string(span.line);
  std::string text = " " + number + " | " + std::string(cut) + printable(excerpt) + "\n";
  text += " " + std::string(number.size(), ' ') + " | " + std::string(cut.size(), ' ') +
          blank(excerpt.substr(0, before)) +
          std::string(std::clamp(carets, std::size_t{1}, kLongestCaret), '^');
  if (!diagnostic.label.empty()) text += " " + printable(diagnostic.label);
  return text + "\n";
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = "error: " + printable(diagnostic.message) + "\n";
  const SourceSpan& span = diagnostic.span;
  if (!span.file.empty()) {
    text += "  --> " + printable(span.file);
    if (span.line > 0) text += ":" + std::to_string(span.line) + ":" + std::to_string(span.column);
    text += "\n";
  }
  if (span.line > 0 && !diagnostic.excerpt.empty()) text += excerpt_with_caret(diagnostic);
  if (!diagnostic.help.empty()) text += "   = help: " + printable(diagnostic.help) + "\n";
  return text;
}

std::string to_text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_text(diagnostic);
  return text;
}

}  // namespace gpushape
