#include "render/text_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpushape::render {

namespace {

constexpr char32_t kBroken = 0xFFFFFFFF;

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The letter that `text` begins with; kBroken and one byte for what is no UTF-8 (RFC 3629).
Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = 0;
  char32_t code = 0;
  char32_t least = 0;
  if ((lead & 0xE0U) == 0xC0U) {
    length = 2, code = lead & 0x1FU, least = 0x80;
  } else if ((lead & 0xF0U) == 0xE0U) {
    length = 3, code = lead & 0x0FU, least = 0x800;
  } else if ((lead & 0xF8U) == 0xF0U) {
    length = 4, code = lead & 0x07U, least = 0x10000;
  }
  if (length == 0 || text.size() < length) return {kBroken, 1};
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(index) & 0xC0U) != 0x80U) return {kBroken, 1};
    code = (code << 6U) | (byte(index) & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least || code > 0x10FFFF || is_surrogate) return {kBroken, 1};
  return {code, length};
}

struct Interval {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(char32_t code, const std::array<Interval, N>& intervals) {
  return std::ranges::any_of(
      intervals, [code](const Interval& i) { return code >= i.first && code <= i.last; });
}

// Unicode Standard Annex 11 (wide and full-width), the blocks that names and paths are written in.
constexpr auto kWide = std::to_array<Interval>({{0x1100, 0x115F},
                                                {0x2E80, 0x303E},
                                                {0x3041, 0x33FF},
                                                {0x3400, 0x4DBF},
                                                {0x4E00, 0x9FFF},
                                                {0xA000, 0xA4CF},
                                                {0xAC00, 0xD7A3},
                                                {0xF900, 0xFAFF},
                                                {0xFE30, 0xFE6F},
                                                {0xFF00, 0xFF60},
                                                {0xFFE0, 0xFFE6},
                                                {0x1F300, 0x1F64F},
                                                {0x1F680, 0x1F6FF},
                                                {0x1F900, 0x1F9FF},
                                                {0x20000, 0x3FFFD}});
// Marks that stand on the letter before them, joiners, and the invisible direction marks, which are
// taken out of what is printed.
constexpr auto kZeroWidth = std::to_array<Interval>({{0x0300, 0x036F},
                                                     {0x1AB0, 0x1AFF},
                                                     {0x1DC0, 0x1DFF},
                                                     {0x20D0, 0x20FF},
                                                     {0xFE00, 0xFE0F},
                                                     {0xFE20, 0xFE2F}});
constexpr auto kUnprintable = std::to_array<Interval>({{0x0000, 0x001F},
                                                       {0x007F, 0x009F},
                                                       {0x061C, 0x061C},
                                                       {0x200B, 0x200F},
                                                       {0x2028, 0x202E},
                                                       {0x2060, 0x206F},
                                                       {0xFEFF, 0xFEFF}});

struct AsciiSpelling {
  char32_t code;
  std::string_view ascii;
};
constexpr auto kAsciiSpellings = std::to_array<AsciiSpelling>({
    {0x00A0, " "},
    {0x00B1, "+-"},
    {0x00B7, "-"},
    {0x00D7, "x"},
    {0x2013, "-"},
    {0x2014, "-"},
    {0x2018, "'"},
    {0x2019, "'"},
    {0x201C, "\""},
    {0x201D, "\""},
    {0x2026, "..."},
    {0x2192, "->"},
    {0x2212, "-"},
    {0x2248, "~"},
    {0x2264, "<="},
    {0x2265, ">="},
});

std::string_view ascii_of(char32_t code) {
  const auto spelling = std::ranges::find(kAsciiSpellings, code, &AsciiSpelling::code);
  return spelling == kAsciiSpellings.end() ? "?" : spelling->ascii;
}

/// Length of the colour sequence (ECMA-48 SGR) that `text` begins with; 0 where there is none.
std::size_t color_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t letter_width(char32_t code) {
  if (is_in(code, kZeroWidth)) return 0;
  return is_in(code, kWide) ? 2 : 1;
}

/// Bytes of the longest beginning of `word` that takes at most `width` columns; at least one
/// letter.
std::size_t fitting_bytes(std::string_view word, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < word.size()) {
    const std::size_t color = color_length(word.substr(bytes));
    const Letter letter = color > 0 ? Letter{0, color} : first_letter(word.substr(bytes));
    const std::size_t next = columns + (color > 0 ? 0 : letter_width(letter.code));
    if (next > width && bytes > 0) break;
    columns = next;
    bytes += letter.bytes;
  }
  return bytes;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const std::size_t color = color_length(text); color > 0) {
      text.remove_prefix(color);
      continue;
    }
    const Letter letter = first_letter(text);
    width += letter_width(letter.code);
    text.remove_prefix(letter.bytes);
  }
  return width;
}

std::string printable(std::string_view text, bool has_unicode) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const std::string_view bytes = text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
    if (letter.code == '\n' || letter.code == '\t') {
      result += ' ';
    } else if (letter.code == kBroken || is_in(letter.code, kUnprintable)) {
      result += '?';
    } else if (letter.code < 0x80 || has_unicode) {
      result += bytes;
    } else {
      result += ascii_of(letter.code);
    }
  }
  return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t used = display_width(lines.back());
    if (used > 0 && used + 1 + display_width(word) <= width) {
      lines.back() += ' ';
      lines.back() += word;
      continue;
    }
    if (used > 0) lines.emplace_back();
    while (!word.empty()) {
      const std::size_t bytes = fitting_bytes(word, width);
      lines.back() = word.substr(0, bytes);
      word.remove_prefix(bytes);
      if (!word.empty()) lines.emplace_back();
    }
  }
  return lines;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

}  // namespace gpushape::render
