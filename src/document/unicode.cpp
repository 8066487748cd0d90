#include "document/unicode.hpp"

#include <cstring>

namespace gpushape::document {
namespace {

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

bool continues(std::string_view text, std::size_t index) {
  return index < text.size() && (byte_at(text, index) & 0xC0U) == 0x80U;
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t index) {
  const unsigned char lead = byte_at(text, index);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(text, index + 1)) return 0;
  if (lead < 0xE0) return 2;
  // The second byte's bounds keep out overlong forms, surrogates and what lies above 0x10FFFF
  // (RFC 3629, section 4).
  const unsigned char second = byte_at(text, index + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  if (!continues(text, index + 2)) return 0;
  if (lead < 0xF0) return 3;
  return continues(text, index + 3) ? 4 : 0;
}

std::optional<std::size_t> first_invalid_byte(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::size_t index = 0;
  while (index < text.size()) {
    std::uint64_t word = 0;
    if (index + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + index, sizeof word);
      if ((word & kHighBits) == 0) {
        index += sizeof word;
        continue;
      }
    }
    const std::size_t length = character_length(text, index);
    if (length == 0) return index;
    index += length;
  }
  return std::nullopt;
}

void append_character(std::string& text, std::uint32_t code_point) {
  const auto tail = [code_point](unsigned shift) {
    return static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += {static_cast<char>(0xC0U | (code_point >> 6U)), tail(0)};
  } else if (code_point < 0x10000) {
    text += {static_cast<char>(0xE0U | (code_point >> 12U)), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0U | (code_point >> 18U)), tail(12), tail(6), tail(0)};
  }
}

std::uint32_t code_point_at(std::string_view text, std::size_t index) {
  const std::size_t length = character_length(text, index);
  const std::uint32_t lead = byte_at(text, index);
  if (length < 2) return lead;
  std::uint32_t code_point = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6U) | (byte_at(text, index + i) & 0x3FU);
  }
  return code_point;
}

bool is_printable(std::uint32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return false;
  const bool is_separator = code_point == 0x2028 || code_point == 0x2029;
  const bool is_mark = code_point == 0xFEFF || code_point == 0xFFFE || code_point == 0xFFFF;
  return !is_separator && !is_mark;
}

}  // namespace gpushape::document
