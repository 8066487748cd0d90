// Text as a terminal shows it: how wide it is, and what may be in it at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::render {

/// Columns that the text takes. Colour sequences take none, combining marks take none, East Asian
/// wide letters and most pictographs take two.
std::size_t display_width(std::string_view text);

/// The text without what a terminal would obey rather than show (control characters, broken
/// UTF-8). Without Unicode, letters outside ASCII become their nearest spelling, or '?'.
std::string printable(std::string_view text, bool has_unicode);

/// Lines of at most `width` columns, broken at spaces; a word that is wider is cut. Never empty.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// `text` and as many spaces as fill `width`.
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(std::string text, std::size_t width);

}  // namespace gpushape::render
