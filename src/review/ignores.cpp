#include "review/ignores.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

namespace gpushape::review {

namespace {

constexpr std::string_view kMark = "gpushape: ignore";
constexpr std::string_view kBlanks = " \t\r";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Blank lines and comments say nothing of nesting.
bool is_silent(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos || line[first] == '#';
}

bool is_separator(std::string_view line) { return line.starts_with("---"); }

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(kBlanks), line.size());
}

/// The last line of the block that begins at `first`: deeper lines, and list items level with the
/// key that holds them.
std::size_t end_of_block(const std::vector<std::string_view>& lines, std::size_t first) {
  const std::size_t indent = indentation(lines[first]);
  const bool is_item = lines[first].substr(indent).starts_with("-");
  std::size_t last = first;
  for (std::size_t i = first + 1; i < lines.size() && !is_separator(lines[i]); ++i) {
    if (is_silent(lines[i])) continue;
    const std::size_t own = indentation(lines[i]);
    const bool is_own_item = !is_item && own == indent && lines[i].substr(own).starts_with("- ");
    if (own <= indent && !is_own_item) break;
    last = i;
  }
  return last;
}

/// "RV-01, VC-02 the reason" up to a further comment.
void read_words(std::string_view text, Ignore& ignore) {
  const std::size_t comment = text.find(" #");
  if (comment != std::string_view::npos) text = text.substr(0, comment);
  bool wants_rule = true;
  while (wants_rule) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size()));
    const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
    if (end == 0) break;
    ignore.rules.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    const std::size_t next = std::min(text.find_first_not_of(" \t"), text.size());
    wants_rule = next < text.size() && text[next] == ',';
  }
  text.remove_prefix(std::min(text.find_first_not_of(" \t:"), text.size()));
  const std::size_t last = text.find_last_not_of(kBlanks);
  ignore.reason = last == std::string_view::npos ? "" : std::string(text.substr(0, last + 1));
}

/// What a comment on a line of its own speaks for.
void take_following(const std::vector<std::string_view>& lines, std::size_t at, Ignore& ignore) {
  std::size_t next = at + 1;
  while (next < lines.size() && is_silent(lines[next])) ++next;
  if (next >= lines.size()) return;
  // Above the first line of a document it speaks for all of it.
  bool is_first = true;
  for (std::size_t i = next; i-- > 0 && !is_separator(lines[i]);) {
    if (!is_silent(lines[i])) is_first = false;
  }
  std::size_t last = end_of_block(lines, next);
  if (is_first) {
    last = next;
    for (std::size_t i = next; i < lines.size() && !is_separator(lines[i]); ++i) last = i;
  }
  ignore.first_line = static_cast<int>(next) + 1;
  ignore.last_line = static_cast<int>(last) + 1;
}

}  // namespace

std::vector<Ignore> read_ignores(std::span<const document::Document> documents) {
  std::vector<Ignore> ignores;
  std::set<const document::Source*> seen;
  for (const document::Document& document : documents) {
    if (!seen.insert(document.source.get()).second) continue;
    if (!document.source->text.contains(kMark)) continue;
    const std::vector<std::string_view> lines = lines_of(document.source->text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t mark = lines[i].find(kMark);
      const std::size_t hash = mark == std::string_view::npos ? mark : lines[i].rfind('#', mark);
      if (hash == std::string_view::npos) continue;
      const std::string_view between = lines[i].substr(hash + 1, mark - hash - 1);
      if (between.find_first_not_of(kBlanks) != std::string_view::npos) continue;
      Ignore ignore;
      ignore.document = &document;
      ignore.position = {.line = static_cast<int>(i) + 1,
                         .column = static_cast<int>(hash) + 1,
                         .length = static_cast<int>(mark + kMark.size() - hash)};
      read_words(lines[i].substr(mark + kMark.size()), ignore);
      if (is_silent(lines[i])) {
        take_following(lines, i, ignore);
      } else {
        ignore.first_line = static_cast<int>(i) + 1;
        ignore.last_line = static_cast<int>(end_of_block(lines, i)) + 1;
      }
      ignores.push_back(std::move(ignore));
    }
  }
  return ignores;
}

bool answers(const Ignore& ignore, const domain::Finding& finding) {
  return !ignore.reason.empty() && finding.place.file == ignore.document->source->file &&
         finding.place.line >= ignore.first_line && finding.place.line <= ignore.last_line &&
         std::ranges::find(ignore.rules, finding.rule) != ignore.rules.end();
}

}  // namespace gpushape::review
