#include "document/input_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// YAML and JSON know no other control characters; yaml-cpp takes 0x04 for the end of the text.
bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < 0x20 && letter != '\n' && letter != '\r' &&
         letter != '\t';
}

std::string hexadecimal(char letter) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(letter);
  return {'0', 'x', kDigits[code >> 4U], kDigits[code & 0xFU]};
}

}  // namespace

Position position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t last_end = before.rfind('\n');
  const std::size_t line_start = last_end == std::string_view::npos ? 0 : last_end + 1;
  return {.line = static_cast<int>(std::ranges::count(before, '\n')) + 1,
          .column = static_cast<int>(offset - line_start) + 1};
}

Result<std::shared_ptr<const Source>> accept_text(std::string_view text, std::string file,
                                                  const Limits& limits) {
  const auto refuse = [&file](std::string message, std::string help = {}) {
    Diagnostic diagnostic = complaint(std::move(message), std::move(help));
    diagnostic.span.file = file;
    return failure(std::move(diagnostic));
  };
  if (text.size() > limits.bytes) {
    return refuse(file + " is larger than " + std::to_string(limits.bytes) + " bytes");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return refuse(file + " is empty");
  }
  auto source =
      std::make_shared<const Source>(std::move(file), std::string(text), line_marks(text));
  if (const std::optional<std::size_t> invalid = first_invalid_byte(text)) {
    return failure(source->diagnostic(position_at(text, *invalid),
                                      "byte " + hexadecimal(text[*invalid]) + " is not UTF-8",
                                      "save the file as UTF-8 text"));
  }
  if (const auto control = std::ranges::find_if(text, is_control); control != text.end()) {
    const auto offset = static_cast<std::size_t>(control - text.begin());
    return failure(source->diagnostic(
        position_at(text, offset),
        "control character " + hexadecimal(*control) + " is not allowed in a text"));
  }
  return source;
}

}  // namespace gpushape::document
