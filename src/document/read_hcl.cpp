#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "document/hcl.hpp"
#include "document/input_text.hpp"
#include "document/scalar.hpp"
#include "document/tree_builder.hpp"

namespace gpushape::document {
namespace {

bool is_hcl_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}
bool is_hcl_digit(char c) { return c >= '0' && c <= '9'; }

/// Ours: a block of a person's holds dozens.
constexpr std::size_t kMostEntries = 20'000;

/// Blocks of one name become one: those with labels left are mappings that grow together, the
/// others a sequence.
void merge(Node& body, std::string name, Position place, Node value, std::size_t labels) {
  for (Node::Entry& entry : body.entries()) {
    if (entry.name != name) continue;
    const bool are_mappings = entry.value.is(Node::Kind::Mapping) && value.is(Node::Kind::Mapping);
    if (labels > 0 && are_mappings) {
      for (Node::Entry& inner : value.entries()) {
        merge(entry.value, std::move(inner.name), inner.position, std::move(inner.value),
              labels - 1);
      }
      return;
    }
    if (!entry.value.is(Node::Kind::Sequence)) {
      Node list = Node::sequence();
      list.set_position(entry.value.position());
      list.add(std::move(entry.value));
      entry.value = std::move(list);
    }
    entry.value.add(std::move(value));
    return;
  }
  body.set(std::move(name), std::move(value));
  body.entries().back().position = place;
}

class HclReader {
 public:
  HclReader(const Source& source, const Limits& limits)
      : text_(source.text), limits_(limits), faults_(source, limits) {}

  Node read() {
    Node root = Node::mapping();
    root.set_position({.line = 1, .column = 1});
    read_body(root, '\0', 1);
    return root;
  }

 private:
  void read_body(Node& body, char closing, int depth) {
    if (depth > limits_.depth) fail("nested too deep", {});
    for (;;) {
      skip_blank(true);
      if (at_end()) {
        if (closing != '\0') fail("a block is not closed", "end it with '}'");
        return;
      }
      if (peek() == closing) {
        ++at_;
        return;
      }
      read_item(body, depth);
    }
  }

  /// `name = expression`, or `name "label" … { body }`.
  void read_item(Node& body, int depth) {
    count_node();
    if (body.entries().size() >= kMostEntries) fail("more entries than a block has", {});
    const std::size_t start = at_;
    const std::string name = read_name("a block or 'name = value' begins with a name");
    const Position place = position_of(start, at_);
    skip_blank(false);
    if (peek() == '=' && peek(1) != '=') {
      ++at_;
      skip_blank(false);
      merge(body, name, place, read_expression(depth + 1), 0);
      return;
    }
    std::vector<std::pair<std::string, Position>> labels;
    while (peek() != '{') {
      if (labels.size() > 8) fail("more labels than a block has", {});
      const std::size_t first = at_;
      std::string label = peek() == '"' ? read_string().text()
                                        : read_name("'=', a label or '{' comes after the name");
      labels.emplace_back(std::move(label), position_of(first, at_));
      skip_blank(false);
    }
    ++at_;
    Node inside = Node::mapping();
    inside.set_position(place);
    read_body(inside, '}', depth + 1);
    const std::size_t levels = labels.size();
    for (; !labels.empty(); labels.pop_back()) {
      Node outer = Node::mapping();
      outer.set_position(place);
      outer.set(labels.back().first, std::move(inside));
      outer.entries().back().position = labels.back().second;
      inside = std::move(outer);
    }
    merge(body, name, place, std::move(inside), levels);
  }

  Node read_expression(int depth) {
    if (depth > limits_.depth) fail("nested too deep", {});
    count_node();
    const std::size_t start = at_;
    const Position place = position_of(start, start + 1);
    Node node;
    if (peek() == '"') {
      node = read_string();
    } else if (peek() == '[') {
      node = read_list(depth);
    } else if (peek() == '{') {
      node = read_map(depth);
    } else if (peek() == '<' && peek(1) == '<') {
      node = read_here_text();
    } else {
      node = read_other(start);
      node.set_position(with_length(place, start));
      return node;
    }
    // Behind a literal an expression may go on: "a" == var.b, [..][0]. Then all of it is text.
    const std::size_t end = at_;
    skip_blank(false);
    const bool goes_on =
        !at_end() && std::string_view("\n,]})").find(peek()) == std::string_view::npos;
    if (goes_on) {
      at_ = end;
      node = read_other(start);
    } else {
      at_ = end;
    }
    node.set_position(with_length(place, start));
    return node;
  }

  Node read_list(int depth) {
    const std::size_t start = at_++;
    Node list = Node::sequence();
    for (;;) {
      skip_blank(true);
      if (at_end()) fail_at(start, "a list is not closed", "end it with ']'");
      if (peek() == ']') break;
      if (is_for_expression()) {
        at_ = start;
        return read_other(start);
      }
      list.add(read_expression(depth + 1));
      skip_blank(true);
      if (at_end()) continue;
      if (peek() == ',') {
        ++at_;
      } else if (peek() != ']') {
        fail("',' or ']' comes after an element", {});
      }
    }
    ++at_;
    return list;
  }

  Node read_map(int depth) {
    const std::size_t start = at_++;
    Node map = Node::mapping();
    for (;;) {
      skip_blank(true);
      if (at_end()) fail_at(start, "a map is not closed", "end it with '}'");
      if (peek() == '}') break;
      if (is_for_expression()) {
        at_ = start;
        return read_other(start);
      }
      count_node();
      const std::size_t first = at_;
      const std::string key = read_key();
      const Position place = position_of(first, at_);
      skip_blank(false);
      if (peek() != '=' && peek() != ':') fail("'=' comes after the name in a map", {});
      ++at_;
      skip_blank(true);
      map.set(key, read_expression(depth + 1));
      map.entries().back().position = place;
      skip_blank(false);
      if (peek() == ',') ++at_;
    }
    ++at_;
    return map;
  }

  std::string read_key() {
    if (peek() == '"') return read_string().text();
    if (peek() != '(') return read_name("a map names its values");
    const std::size_t start = at_;
    skip_brackets();
    return std::string(text_.substr(start, at_ - start));
  }

  [[nodiscard]] bool is_for_expression() const {
    return text_.substr(at_).starts_with("for ") || text_.substr(at_).starts_with("for\t");
  }

  /// In quotes, escapes resolved. With a template inside it is no fixed value.
  Node read_string() {
    const std::size_t start = at_++;
    std::string out;
    bool is_template = false;
    for (;;) {
      if (at_end() || peek() == '\n') fail_at(start, "a string is not closed", "end it with '\"'");
      const char c = text_[at_++];
      if (c == '"') break;
      if ((c == '$' || c == '%') && peek() == c) {  // $${ is no template
        out += c;
        ++at_;
      } else if ((c == '$' || c == '%') && peek() == '{') {
        is_template = true;
        const std::size_t first = at_ - 1;
        skip_brackets();
        out += text_.substr(first, at_ - first);
      } else if (c == '\\' && !at_end()) {
        const char escaped = text_[at_++];
        out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
      } else {
        out += c;
      }
    }
    Node node(std::move(out));
    node.set_quoted(!is_template);
    return node;
  }

  /// <<EOT … EOT, <<-EOT
  Node read_here_text() {
    const std::size_t start = at_;
    at_ += 2;
    if (peek() == '-') ++at_;
    const std::string mark = read_name("<< is followed by the word that ends the text");
    std::size_t line = text_.find('\n', at_);
    std::string out;
    while (line != std::string_view::npos) {
      const std::size_t begin = line + 1;
      line = text_.find('\n', begin);
      const std::string_view row = text_.substr(begin, std::min(line, text_.size()) - begin);
      std::string_view bare = row;
      while (bare.starts_with(' ') || bare.starts_with('\t')) bare.remove_prefix(1);
      while (bare.ends_with('\r')) bare.remove_suffix(1);
      if (bare == mark) {
        at_ = std::min(begin + row.size(), text_.size());
        Node node(std::move(out));
        node.set_quoted(true);
        return node;
      }
      out += row;
      out += '\n';
    }
    fail_at(start, fmt::format("the text that ends with {} is not closed", mark), {});
  }

  /// A number, a word, or an expression: to the end of the line or the bracket around it.
  Node read_other(std::size_t start) {
    at_ = start;
    while (!at_end()) {
      const char c = peek();
      if (c == '\n' || c == ',' || c == ']' || c == '}' || c == ')' || is_comment()) break;
      if (c == '"') {
        read_string();
      } else if (c == '(' || c == '[' || c == '{') {
        skip_brackets();
      } else {
        ++at_;
      }
    }
    std::string_view word = text_.substr(start, at_ - start);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r')) {
      word.remove_suffix(1);
    }
    at_ = start + word.size();
    if (word.empty()) fail_at(start, "a value is missing", {});
    if (word == "true" || word == "false") return {word == "true"};
    if (word == "null") return {};
    const bool is_number = is_hcl_digit(word.front()) ||
                           (word.size() > 1 && word.front() == '-' && is_hcl_digit(word[1]));
    if (is_number && std::ranges::all_of(word, [](char c) {
          return is_hcl_digit(c) || c == '.' || c == '-' || c == 'e' || c == 'E' || c == '+';
        })) {
      return number_of(word);
    }
    return {std::string(word)};
  }

  static Node number_of(std::string_view word) {
    const bool is_whole = std::ranges::all_of(word.substr(1), is_hcl_digit) && word.size() < 18;
    if (!is_whole) return {to_double(word)};
    std::int64_t value = 0;
    for (const char c : word) {
      if (c != '-') value = value * 10 + (c - '0');
    }
    return {word.front() == '-' ? -value : value};
  }

  /// From an opening bracket to behind its partner; strings inside are strings.
  void skip_brackets() {
    const std::size_t start = at_;
    std::size_t depth = 0;
    do {
      if (at_end()) fail_at(start, "a bracket is not closed", {});
      const char c = peek();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      ++at_;
    } while (depth > 0);
  }

  /// Templates inside a string may hold strings again: only the marks are counted.
  void skip_string() {
    const std::size_t start = at_++;
    std::size_t inside = 0;  // brackets of templates
    for (;;) {
      if (at_end()) fail_at(start, "a string is not closed", "end it with '\"'");
      const char c = text_[at_++];
      if (c == '\\' && inside == 0 && !at_end()) ++at_;
      if ((c == '$' || c == '%') && peek() == '{') {
        ++at_;
        ++inside;
      } else if (inside > 0) {
        inside += c == '{' ? 1 : 0;
        inside -= c == '}' ? 1 : 0;
      } else if (c == '"') {
        return;
      }
    }
  }

  std::string read_name(const char* otherwise) {
    const std::size_t start = at_;
    while (!at_end() && is_hcl_letter(peek())) ++at_;
    if (at_ == start) fail(otherwise, "a review reads Terraform's native syntax");
    return std::string(text_.substr(start, at_ - start));
  }

  [[nodiscard]] bool is_comment() const {
    return peek() == '#' || (peek() == '/' && (peek(1) == '/' || peek(1) == '*'));
  }

  void skip_blank(bool with_lines) {
    while (!at_end()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || (with_lines && c == '\n')) {
        ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail("a comment is not closed", "end it with '*/'");
        at_ = end + 2;
      } else if (is_comment()) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void count_node() { faults_.count(1, position_of(at_, at_ + 1)); }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t further = 0) const {
    return at_ + further < text_.size() ? text_[at_ + further] : '\0';
  }

  /// Offsets grow, and lines are counted on from the last one; a fault may look back.
  Position position_of(std::size_t start, std::size_t end) {
    if (start < counted_) {
      counted_ = line_start_ = 0;
      line_ = 1;
    }
    for (; counted_ < std::min(start, text_.size()); ++counted_) {
      if (text_[counted_] != '\n') continue;
      line_start_ = counted_ + 1;
      ++line_;
    }
    return with_length({.line = line_, .column = static_cast<int>(start - line_start_) + 1}, start,
                       end);
  }
  /// To `end` or the end of the line.
  [[nodiscard]] Position with_length(Position place, std::size_t start, std::size_t end) const {
    const std::string_view word = text_.substr(std::min(start, text_.size()), end - start);
    place.length = std::max(1, static_cast<int>(std::min(word.find('\n'), word.size())));
    return place;
  }
  [[nodiscard]] Position with_length(Position place, std::size_t start) const {
    return with_length(place, start, at_);
  }

  [[noreturn]] void fail(std::string message, std::string help) {
    fail_at(at_, std::move(message), std::move(help));
  }
  [[noreturn]] void fail_at(std::size_t place, std::string message, std::string help) {
    faults_.fail(position_of(place, place + 1), std::move(message), std::move(help));
  }

  std::string_view text_;
  Limits limits_;
  TreeBuilder faults_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

Result<Document> read_hcl(std::string_view text, std::string file, const Limits& limits) {
  auto source = accept_text(text, std::move(file), limits);
  if (!source) return std::unexpected(std::move(source).error());
  try {
    Node root = HclReader(**source, limits).read();
    return Document{std::move(root), std::move(*source)};
  } catch (Fault& fault) {
    return failure({std::move(fault.diagnostic)});
  }
}

}  // namespace gpushape::document
