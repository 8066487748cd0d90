// UTF-8: is a text valid, and where not; a code point as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpushape::document {

/// Length in bytes of the valid character (RFC 3629) at `index`; 0 where there is none.
std::size_t character_length(std::string_view text, std::size_t index);

/// Index of the first byte that is not part of a valid character.
std::optional<std::size_t> first_invalid_byte(std::string_view text);

/// `code_point` is at most 0x10FFFF and no surrogate.
void append_character(std::string& text, std::uint32_t code_point);

/// The code point of the valid character at `index`.
std::uint32_t code_point_at(std::string_view text, std::size_t index);

/// Stands in a document as itself: no control character, no line or paragraph separator, no byte
/// order mark. Tab and line feed are not printable.
bool is_printable(std::uint32_t code_point);

}  // namespace gpushape::document
