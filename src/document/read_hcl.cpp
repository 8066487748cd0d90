#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "document/hcl.hpp"
#include "document/hcl_cursor.hpp"
#include "document/input_text.hpp"
#include "document/scalar.hpp"
#include "document/tree_builder.hpp"

namespace gpushape::document {
namespace {

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
      : limits_(limits), cursor_(source, limits) {}

  Node read() {
    Node root = Node::mapping();
    root.set_position({.line = 1, .column = 1});
    read_body(root, '\0', 1);
    return root;
  }

 private:
  void read_body(Node& body, char closing, int depth) {
    if (depth > limits_.depth) cursor_.fail("nested too deep", {});
    for (;;) {
      cursor_.skip_blank(true);
      if (cursor_.at_end()) {
        if (closing != '\0') cursor_.fail("a block is not closed", "end it with '}'");
        return;
      }
      if (cursor_.peek() == closing) {
        cursor_.step();
        return;
      }
      read_item(body, depth);
    }
  }

  /// `name = expression`, or `name "label" … { body }`.
  void read_item(Node& body, int depth) {
    cursor_.count_node();
    if (body.entries().size() >= kMostEntries) cursor_.fail("more entries than a block has", {});
    const std::size_t start = cursor_.at();
    const std::string name = cursor_.read_name("a block or 'name = value' begins with a name");
    const Position place = cursor_.position_since(start);
    cursor_.skip_blank(false);
    if (cursor_.peek() == '=' && cursor_.peek(1) != '=') {
      cursor_.step();
      cursor_.skip_blank(false);
      merge(body, name, place, read_expression(depth + 1), 0);
      return;
    }
    std::vector<std::pair<std::string, Position>> labels;
    while (cursor_.peek() != '{') {
      if (labels.size() > 8) cursor_.fail("more labels than a block has", {});
      const std::size_t first = cursor_.at();
      std::string label = cursor_.peek() == '"'
                              ? read_string().text()
                              : cursor_.read_name("'=', a label or '{' comes after the name");
      labels.emplace_back(std::move(label), cursor_.position_since(first));
      cursor_.skip_blank(false);
    }
    cursor_.step();
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
    if (depth > limits_.depth) cursor_.fail("nested too deep", {});
    cursor_.count_node();
    const std::size_t start = cursor_.at();
    const Position place = cursor_.position_of(start, start + 1);
    Node node;
    if (cursor_.peek() == '"') {
      node = read_string();
    } else if (cursor_.peek() == '[') {
      node = read_list(depth);
    } else if (cursor_.peek() == '{') {
      node = read_map(depth);
    } else if (cursor_.peek() == '<' && cursor_.peek(1) == '<') {
      node = read_here_text();
    } else {
      node = read_other(start);
      node.set_position(cursor_.with_length(place, start));
      return node;
    }
    // Behind a literal an expression may go on: "a" == var.b, [..][0]. Then all of it is text.
    const std::size_t end = cursor_.at();
    cursor_.skip_blank(false);
    const bool goes_on = !cursor_.at_end() &&
                         std::string_view("\n,]})").find(cursor_.peek()) == std::string_view::npos;
    if (goes_on) {
      cursor_.go_to(end);
      node = read_other(start);
    } else {
      cursor_.go_to(end);
    }
    node.set_position(cursor_.with_length(place, start));
    return node;
  }

  Node read_list(int depth) {
    const std::size_t start = cursor_.at();
    cursor_.step();
    Node list = Node::sequence();
    for (;;) {
      cursor_.skip_blank(true);
      if (cursor_.at_end()) cursor_.fail_at(start, "a list is not closed", "end it with ']'");
      if (cursor_.peek() == ']') break;
      if (is_for_expression()) {
        cursor_.go_to(start);
        return read_other(start);
      }
      list.add(read_expression(depth + 1));
      cursor_.skip_blank(true);
      if (cursor_.at_end()) continue;
      if (cursor_.peek() == ',') {
        cursor_.step();
      } else if (cursor_.peek() != ']') {
        cursor_.fail("',' or ']' comes after an element", {});
      }
    }
    cursor_.step();
    return list;
  }

  Node read_map(int depth) {
    const std::size_t start = cursor_.at();
    cursor_.step();
    Node map = Node::mapping();
    for (;;) {
      cursor_.skip_blank(true);
      if (cursor_.at_end()) cursor_.fail_at(start, "a map is not closed", "end it with '}'");
      if (cursor_.peek() == '}') break;
      if (is_for_expression()) {
        cursor_.go_to(start);
        return read_other(start);
      }
      cursor_.count_node();
      const std::size_t first = cursor_.at();
      const std::string key = read_key();
      const Position place = cursor_.position_since(first);
      cursor_.skip_blank(false);
      if (cursor_.peek() != '=' && cursor_.peek() != ':')
        cursor_.fail("'=' comes after the name in a map", {});
      cursor_.step();
      cursor_.skip_blank(true);
      map.set(key, read_expression(depth + 1));
      map.entries().back().position = place;
      cursor_.skip_blank(false);
      if (cursor_.peek() == ',') cursor_.step();
    }
    cursor_.step();
    return map;
  }

  std::string read_key() {
    if (cursor_.peek() == '"') return read_string().text();
    if (cursor_.peek() != '(') return cursor_.read_name("a map names its values");
    const std::size_t start = cursor_.at();
    cursor_.skip_brackets();
    return std::string(cursor_.text_since(start));
  }

  [[nodiscard]] bool is_for_expression() const {
    return cursor_.rest().starts_with("for ") || cursor_.rest().starts_with("for\t");
  }

  /// In quotes, escapes resolved. With a template inside it is no fixed value.
  Node read_string() {
    const std::size_t start = cursor_.at();
    cursor_.step();
    std::string out;
    bool is_template = false;
    for (;;) {
      if (cursor_.at_end() || cursor_.peek() == '\n')
        cursor_.fail_at(start, "a string is not closed", "end it with '\"'");
      const char c = cursor_.take();
      if (c == '"') break;
      if ((c == '$' || c == '%') && cursor_.peek() == c) {  // $${ is no template
        out += c;
        cursor_.step();
      } else if ((c == '$' || c == '%') && cursor_.peek() == '{') {
        is_template = true;
        const std::size_t first = cursor_.at() - 1;
        cursor_.skip_brackets();
        out += cursor_.text_since(first);
      } else if (c == '\\' && !cursor_.at_end()) {
        const char escaped = cursor_.take();
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
    const std::size_t start = cursor_.at();
    cursor_.step(2);
    if (cursor_.peek() == '-') cursor_.step();
    const std::string mark = cursor_.read_name("<< is followed by the word that ends the text");
    cursor_.take_row();
    std::string out;
    while (!cursor_.at_end()) {
      cursor_.step();
      const std::string_view row = cursor_.take_row();
      std::string_view bare = row;
      while (bare.starts_with(' ') || bare.starts_with('\t')) bare.remove_prefix(1);
      while (bare.ends_with('\r')) bare.remove_suffix(1);
      if (bare == mark) {
        Node node(std::move(out));
        node.set_quoted(true);
        return node;
      }
      out += row;
      out += '\n';
    }
    cursor_.fail_at(start, fmt::format("the text that ends with {} is not closed", mark), {});
  }

  /// A number, a word, or an expression: to the end of the line or the bracket around it.
  Node read_other(std::size_t start) {
    cursor_.go_to(start);
    while (!cursor_.at_end()) {
      const char c = cursor_.peek();
      if (c == '\n' || c == ',' || c == ']' || c == '}' || c == ')' || cursor_.is_comment()) break;
      if (c == '"') {
        read_string();
      } else if (c == '(' || c == '[' || c == '{') {
        cursor_.skip_brackets();
      } else {
        cursor_.step();
      }
    }
    std::string_view word = cursor_.text_since(start);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\t' || word.back() == '\r')) {
      word.remove_suffix(1);
    }
    cursor_.go_to(start + word.size());
    if (word.empty()) cursor_.fail_at(start, "a value is missing", {});
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

  Limits limits_;
  HclCursor cursor_;
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
