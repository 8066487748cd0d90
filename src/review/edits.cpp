#include "review/edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace gpushape::review {

using document::Document;
using document::Node;
using domain::TextEdit;

namespace {

constexpr std::size_t kContext = 3;  // lines around a change, as diff -u shows

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    lines.push_back(text.substr(begin, end - begin + 1));
    begin = end + 1;
  }
  return lines;
}

bool is_json(const Document& document) {
  const std::string_view text = document.source->text;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

char letter_at(const Document& document, document::Position position) {
  const std::string line = document.source->line(position.line);
  const auto column = static_cast<std::size_t>(std::max(position.column, 1)) - 1;
  return column < line.size() ? line[column] : '\0';
}

struct Span {
  std::size_t begin;
  std::size_t end;
};

/// Where an edit stands in the text; nothing where it stands outside.
std::optional<Span> span_of(const std::vector<std::size_t>& starts, std::size_t size,
                            const TextEdit& edit) {
  if (edit.line < 1 || static_cast<std::size_t>(edit.line) > starts.size() || edit.column < 1) {
    return std::nullopt;
  }
  const std::size_t begin =
      starts[static_cast<std::size_t>(edit.line) - 1] + static_cast<std::size_t>(edit.column) - 1;
  const std::size_t end = begin + static_cast<std::size_t>(std::max(edit.length, 0));
  if (end > size) return std::nullopt;
  return Span{begin, end};
}

}  // namespace

Edits replace_value(const Document& document, const Node& scalar, std::string_view text) {
  const document::Position position = scalar.position();
  const char first = letter_at(document, position);
  const bool is_plain = position.line > 0 && first != '|' && first != '>' && first != '\0';
  if (!is_plain || scalar.is(Node::Kind::Mapping) || scalar.is(Node::Kind::Sequence) ||
      scalar.is(Node::Kind::Null)) {
    return {};
  }
  return {{position.line, position.column, position.length, std::string(text)}};
}

Edits replace_text(const Document& document, const Node& scalar, std::string_view text) {
  const char first = letter_at(document, scalar.position());
  if (first != '"' && first != '\'') return replace_value(document, scalar, text);
  return replace_value(document, scalar, fmt::format("{}{}{}", first, text, first));
}

Edits copy_value(const Document& document, const Node& scalar, const Node& other) {
  const document::Position from = other.position();
  const std::string line = document.source->line(from.line);
  const auto column = static_cast<std::size_t>(std::max(from.column, 1)) - 1;
  if (from.line < 1 || column >= line.size()) return {};
  const std::string written = line.substr(column, static_cast<std::size_t>(from.length));
  return replace_value(document, scalar, written);
}

Edits replace_word(const Document& document, document::Position place, std::string_view from,
                   std::string_view to) {
  const std::string line = place.line < 1 ? std::string() : document.source->line(place.line);
  const auto column = static_cast<std::size_t>(std::max(place.column, 1)) - 1;
  for (const std::size_t begin : {column, column + 1}) {
    if (begin > line.size() || !std::string_view(line).substr(begin).starts_with(from)) continue;
    return {
        {place.line, static_cast<int>(begin) + 1, static_cast<int>(from.size()), std::string(to)}};
  }
  return {};
}

Edits remove_item(const Document& document, document::Position place, std::string_view word) {
  if (place.line < 1 || is_json(document)) return {};
  const std::string line = document.source->line(place.line);
  std::string_view item = line;
  item.remove_prefix(std::min(item.size(), item.find_first_not_of(' ')));
  if (!item.starts_with("- ")) return {};
  item.remove_prefix(2);
  item = item.substr(0, item.find(" #"));
  while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
  const bool is_quoted = item.size() > 1 && item.front() == item.back() &&
                         (item.front() == '"' || item.front() == '\'');
  if (is_quoted) item = item.substr(1, item.size() - 2);
  if (item != word) return {};
  return {{place.line, 1, static_cast<int>(line.size()) + 1, {}}};
}

Edits add_field(const Document& document, const Node& mapping, std::string_view field) {
  if (!mapping.is(Node::Kind::Mapping) || mapping.entries().empty() || is_json(document)) return {};
  if (letter_at(document, mapping.position()) == '{') {
    return {
        {mapping.position().line, mapping.position().column + 1, 0, fmt::format("{}, ", field)}};
  }
  const document::Position first = mapping.entries().front().position;
  if (first.line < 1) return {};
  return {
      {first.line, first.column, 0,
       fmt::format("{}\n{}", field, std::string(static_cast<std::size_t>(first.column) - 1, ' '))}};
}

Edits config_field(const VmClass& vm, std::string_view field) {
  const Node* config = at(*vm.root, {"spec", "configSpec"});
  if (vm.source != VmSource::Class || config == nullptr || config->entries().empty()) return {};
  const std::string_view name = field.substr(0, field.find(':'));
  if (const Node* own = config->find(name)) {
    return replace_value(*vm.document, *own, field.substr(field.find(": ") + 2));
  }
  return add_field(*vm.document, *config, field);
}

std::string apply_edits(std::string_view text, Edits edits) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  std::ranges::stable_sort(edits, {},
                           [](const TextEdit& edit) { return std::tuple(edit.line, edit.column); });
  std::string result;
  std::size_t at = 0;
  const TextEdit* last = nullptr;
  for (const TextEdit& edit : edits) {
    const auto span = span_of(starts, text.size(), edit);
    if (!span || span->begin < at || (last != nullptr && *last == edit)) continue;
    result += text.substr(at, span->begin - at);
    result += edit.text;
    at = span->end;
    last = &edit;
  }
  return result + std::string(text.substr(at));
}

std::string unified_diff(std::string_view before, std::string_view after, const std::string& file) {
  const auto old_lines = split_lines(before);
  const auto new_lines = split_lines(after);
  std::string text;
  std::size_t i = 0;
  std::size_t j = 0;
  // Changes are few and small: the next line that both have again ends each.
  const auto resync = [&](std::size_t& a, std::size_t& b) {
    for (std::size_t sum = 1; sum < old_lines.size() + new_lines.size() - a - b + 1; ++sum) {
      for (std::size_t skip = 0; skip <= sum; ++skip) {
        const std::size_t x = a + skip;
        const std::size_t y = b + sum - skip;
        const bool is_end = x == old_lines.size() && y == new_lines.size();
        if (is_end ||
            (x < old_lines.size() && y < new_lines.size() && old_lines[x] == new_lines[y])) {
          a = x;
          b = y;
          return;
        }
      }
    }
    a = old_lines.size();
    b = new_lines.size();
  };
  struct Change {
    std::size_t old_begin, old_end, new_begin, new_end;
  };
  std::vector<Change> changes;
  while (i < old_lines.size() || j < new_lines.size()) {
    if (i < old_lines.size() && j < new_lines.size() && old_lines[i] == new_lines[j]) {
      ++i;
      ++j;
      continue;
    }
    Change change{i, 0, j, 0};
    resync(i, j);
    change.old_end = i;
    change.new_end = j;
    changes.push_back(change);
  }
  if (changes.empty()) return {};
  text = fmt::format("--- {}\n+++ {}\n", file, file);
  const auto put = [&text](char mark, std::string_view line) {
    text += mark;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  };
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].old_begin - changes[last].old_end <= 2 * kContext) {
      ++last;
    }
    const std::size_t from =
        changes[first].old_begin - std::min(changes[first].old_begin, kContext);
    const std::size_t to = std::min(changes[last].old_end + kContext, old_lines.size());
    const std::size_t new_from = changes[first].new_begin - (changes[first].old_begin - from);
    const std::size_t new_to = changes[last].new_end + (to - changes[last].old_end);
    text +=
        fmt::format("@@ -{},{} +{},{} @@\n", from + 1, to - from, new_from + 1, new_to - new_from);
    std::size_t at = from;
    for (std::size_t c = first; c <= last; ++c) {
      for (; at < changes[c].old_begin; ++at) put(' ', old_lines[at]);
      for (; at < changes[c].old_end; ++at) put('-', old_lines[at]);
      for (std::size_t n = changes[c].new_begin; n < changes[c].new_end; ++n)
        put('+', new_lines[n]);
    }
    for (; at < to; ++at) put(' ', old_lines[at]);
    first = last + 1;
  }
  return text;
}

}  // namespace gpushape::review
