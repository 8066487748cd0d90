#include "calibrate/json_text.hpp"

#include "document/json_stream.hpp"

namespace gpushape::calibrate {
namespace {

using document::JsonStream;

/// Of Docker's json-file driver: {"log":"…\n","stream":"stderr","time":"…"}, a line longer than 16
/// KiB in several of them. Source: moby daemon/logger/jsonfilelog, jsonlog.
constexpr std::string_view kPiece = "log";
constexpr std::string_view kStream = "stream";
constexpr std::string_view kTime = "time";

void end_line(std::string& lines) {
  if (!lines.empty() && !lines.ends_with('\n')) lines += '\n';
}

/// Appends the strings of one document; false where it is broken.
bool append_strings(std::string_view text, std::string& lines) {
  JsonStream stream(text);
  std::string name;
  bool has_piece = false;
  for (;;) {
    switch (stream.next()) {
      case JsonStream::Event::End:
        return true;
      case JsonStream::Event::Fault:
        return false;
      case JsonStream::Event::Name:
        name = stream.text();
        break;
      case JsonStream::Event::String:
        if (name == kPiece) {
          has_piece = true;
          lines += stream.text();
        } else if (!has_piece || (name != kStream && name != kTime)) {
          end_line(lines);
          lines += stream.text();
          end_line(lines);
        }
        break;
      default:  // what a sequence holds are lines, whatever its name
        name.clear();
        break;
    }
  }
}

bool begins_as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// A document a line; nothing where the first line is none.
std::optional<std::string> of_lines(std::string_view text) {
  std::string lines;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t before = lines.size();
    if (begins_as_json(line) && append_strings(line, lines)) continue;
    if (is_first) return std::nullopt;
    lines.resize(before);
    end_line(lines);
    lines += line;
    lines += '\n';
  }
  return lines;
}

}  // namespace

std::optional<std::string> text_in_json(std::string_view text) {
  if (!begins_as_json(text)) return std::nullopt;
  std::string lines;
  if (append_strings(text, lines)) return lines;
  return of_lines(text);
}

}  // namespace gpushape::calibrate
