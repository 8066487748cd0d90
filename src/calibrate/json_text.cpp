#include "calibrate/json_text.hpp"

#include <algorithm>
#include <cstddef>

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

/// The cell of a notebook, whose program ran before what it printed: files list names by the
/// alphabet, "outputs" before "source".
class Cell {
 public:
  explicit Cell(std::string& lines) : lines_(lines) {}

  void at_name(std::string_view name, int depth) {
    if (name == "outputs") {
      depth_ = depth;
      outputs_ = lines_.size();
      source_ = std::string::npos;
    } else if (name == "source" && depth == depth_) {
      source_ = lines_.size();
    }
  }
  void at_end(int depth) {
    if (depth != depth_) return;
    const auto at = [&](std::size_t place) {
      return lines_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (source_ != std::string::npos) std::rotate(at(outputs_), at(source_), lines_.end());
    depth_ = 0;
  }

 private:
  std::string& lines_;
  int depth_ = 0;  ///< of the mapping that has outputs; 0 for none
  std::size_t outputs_ = 0;
  std::size_t source_ = std::string::npos;
};

/// Appends the strings of one document; false where it is broken.
bool append_strings(std::string_view text, std::string& lines) {
  JsonStream stream(text);
  std::string name;
  bool has_piece = false;
  int depth = 0;
  Cell cell(lines);
  for (;;) {
    switch (stream.next()) {
      case JsonStream::Event::End:
        return true;
      case JsonStream::Event::Fault:
        return false;
      case JsonStream::Event::Name:
        name = stream.text();
        cell.at_name(name, depth);
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
      case JsonStream::Event::BeginMapping:
      case JsonStream::Event::BeginSequence:
        ++depth;
        name.clear();  // what a sequence holds are lines, whatever its name
        break;
      case JsonStream::Event::EndMapping:
        cell.at_end(depth);
        [[fallthrough]];
      case JsonStream::Event::EndSequence:
        --depth;
        name.clear();
        break;
      default:
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
