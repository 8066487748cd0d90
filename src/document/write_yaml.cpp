// YAML in block style, quoted by our own rule: yaml-cpp's emitter leaves "yes" and "1" bare.
#include <cmath>

#include "document/number_text.hpp"
#include "document/scalar.hpp"
#include "document/text_format.hpp"
#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

// YAML 1.2, 8.1.1.1 and 7.4.2: a key of one line may be 1024 characters long.
constexpr std::size_t kLongestSimpleKey = 1000;

constexpr std::uint32_t kYamlReplacement = 0xFFFD;  // for what is not UTF-8

std::uint32_t next_character(std::string_view text, std::size_t& index) {
  const std::size_t length = character_length(text, index);
  const std::uint32_t code_point = length == 0 ? kYamlReplacement : code_point_at(text, index);
  index += length == 0 ? 1 : length;
  return code_point;
}

void append_escape(std::string& out, std::uint32_t code_point) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  unsigned digits = 8;
  std::string_view escape = "\\U";
  if (code_point <= 0xFF) {
    digits = 2;
    escape = "\\x";
  } else if (code_point <= 0xFFFF) {
    digits = 4;
    escape = "\\u";
  }
  out += escape;
  for (unsigned digit = digits; digit > 0; --digit) {
    out += kHexadecimal[(code_point >> (4 * (digit - 1))) & 0xFU];
  }
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::uint32_t code_point = next_character(text, i);
    if (code_point == '"' || code_point == '\\') {
      out += {'\\', static_cast<char>(code_point)};
    } else if (code_point == '\n') {
      out += "\\n";
    } else if (code_point == '\t') {
      out += "\\t";
    } else if (code_point == '\r') {
      out += "\\r";
    } else if (is_printable(code_point)) {
      append_character(out, code_point);
    } else {
      append_escape(out, code_point);
    }
  }
  return out + '"';
}

std::string quoted_where_needed(std::string_view text) {
  return is_safe_unquoted(text) ? std::string(text) : double_quoted(text);
}

// Lines that a literal block keeps to the letter: printable, no blanks at their ends, one line feed
// at most behind the last, text in the first.
bool suits_literal_block(std::string_view text) {
  if (!text.contains('\n') || text.starts_with('\n') || text.starts_with(' ')) return false;
  if (text.ends_with("\n\n") || text == "\n") return false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const std::uint32_t code_point = next_character(text, i);
    if (code_point == '\n') {
      if (start > 0 && text[start - 1] == ' ') return false;
    } else if (!is_printable(code_point) || code_point == kYamlReplacement) {
      return false;
    }
  }
  return !text.ends_with(' ');
}

// Characters that end a plain scalar inside brackets, or could.
constexpr std::string_view kFlowIndicators = ",[]{}:#?";
constexpr std::size_t kWidth = 100;

std::string quoted_in_flow(std::string_view text) {
  const bool is_safe =
      is_safe_unquoted(text) && text.find_first_of(kFlowIndicators) == std::string_view::npos;
  return is_safe ? std::string(text) : double_quoted(text);
}

bool has_children(const Node& node) { return !node.items().empty() || !node.entries().empty(); }

class YamlWriter {
 public:
  std::string take() { return std::move(out_); }

  void write_document(const Node& root) {
    write_comment_lines(root.above(), 0);
    if (is_block(root, 0)) {
      write_behind(root, "", "\n");
      write_block(root, 0);
    } else {
      write_inline(root, 0);
    }
    write_comment_lines(root.below(), 0);
  }

 private:
  [[nodiscard]] std::size_t column() const {
    const std::size_t line = out_.rfind('\n');
    return out_.size() - (line == std::string::npos ? 0 : line + 1);
  }

  // On lines of its own, rather than in the line that has begun, from that column on.
  static bool is_block(const Node& node, std::size_t column) {
    if (!has_children(node)) return false;
    return !node.is_in_flow() || column + inline_text(node).size() > kWidth;
  }

  // Entries or items, each from the start of its line; `is_begun` where the first one's indentation
  // stands already.
  void write_block(const Node& node, std::size_t indent, bool is_begun = false) {
    for (const Node& item : node.items()) {
      start_line(item, indent, is_begun);
      out_ += '-';
      write_item(item, indent);
    }
    for (const Node::Entry& entry : node.entries()) {
      start_line(entry.value, indent, is_begun);
      write_entry(entry, indent);
    }
  }

  void start_line(const Node& node, std::size_t indent, bool& is_begun) {
    if (!is_begun) {
      write_comment_lines(node.above(), indent);
      out_.append(indent, ' ');
    }
    is_begun = false;
  }

  // Behind the dash: a collection goes on in the same line, unless a comment stands there.
  void write_item(const Node& item, std::size_t indent) {
    if (!is_block(item, column() + 1)) {
      out_ += ' ';
      write_inline(item, indent);
      return;
    }
    const bool has_comment = !item.behind().empty() || !first_child(item).above().empty();
    if (has_comment) {
      write_behind(item, " ", "");
      out_ += '\n';
    } else {
      out_ += ' ';
    }
    write_block(item, indent + 2, !has_comment);
  }

  void write_entry(const Node::Entry& entry, std::size_t indent) {
    const std::string name = quoted_where_needed(entry.name);
    const bool is_simple = name.size() <= kLongestSimpleKey;
    if (!is_simple) {
      out_ += "? " + name + "\n" + std::string(indent, ' ');
    } else {
      out_ += name;
    }
    out_ += ':';
    if (!is_block(entry.value, column() + 1)) {
      out_ += ' ';
      write_inline(entry.value, indent);
      return;
    }
    write_behind(entry.value, " ", "");
    out_ += '\n';
    // As Kubernetes prints it: the dashes of a sequence stand below its name.
    const bool is_level = is_simple && entry.value.is(Node::Kind::Sequence);
    write_block(entry.value, is_level ? indent : indent + 2);
  }

  // A scalar or an empty collection, to the end of its line.
  void write_inline(const Node& node, std::size_t indent) {
    if (node.is(Node::Kind::String) && suits_literal_block(node.text())) {
      write_literal_block(node, indent + 2);
      return;
    }
    out_ += inline_text(node);
    write_behind(node, " ", "");
    out_ += '\n';
  }

  static std::string inline_text(const Node& node) {
    switch (node.kind()) {
      case Node::Kind::Null:
        return "null";
      case Node::Kind::Boolean:
        return node.boolean() ? "true" : "false";
      case Node::Kind::Integer:
        return std::to_string(node.integer());
      case Node::Kind::Number:
        if (std::isnan(node.number())) return ".nan";
        if (std::isinf(node.number())) return node.number() > 0 ? ".inf" : "-.inf";
        return number_text(node.number());
      case Node::Kind::String:
        return quoted_where_needed(node.text());
      case Node::Kind::Sequence:
      case Node::Kind::Mapping:
        return flow_text(node);
    }
    return {};
  }

  static std::string flow_text(const Node& node) {
    const auto part = [](const Node& value) {
      return value.is(Node::Kind::String) ? quoted_in_flow(value.text()) : inline_text(value);
    };
    std::string text;
    for (const Node& item : node.items()) text += (text.empty() ? "" : ", ") + part(item);
    if (node.is(Node::Kind::Sequence)) return "[" + text + "]";
    for (const Node::Entry& entry : node.entries()) {
      text += (text.empty() ? "" : ", ") + quoted_in_flow(entry.name) + ": " + part(entry.value);
    }
    return "{" + text + "}";
  }

  void write_literal_block(const Node& node, std::size_t indent) {
    std::string_view text = node.text();
    out_ += text.ends_with('\n') ? "|" : "|-";
    write_behind(node, " ", "");
    out_ += '\n';
    if (text.ends_with('\n')) text.remove_suffix(1);
    write_lines(text, std::string(indent, ' '));
  }

  void write_comment_lines(std::string_view text, std::size_t indent) {
    if (!text.empty()) write_lines(comment(text, true), std::string(indent, ' ') + "# ");
  }

  void write_behind(const Node& node, std::string_view before, std::string_view after) {
    if (node.behind().empty()) return;
    out_ += before;
    out_ += "# " + comment(node.behind(), false);
    out_ += after;
  }

  void write_lines(std::string_view text, const std::string& prefix) {
    for (;;) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      const std::string_view shown_prefix = prefix;
      // No blanks at the end of an empty line.
      out_ += line.empty() ? shown_prefix.substr(0, shown_prefix.find_last_not_of(' ') + 1)
                           : shown_prefix;
      out_ += line;
      out_ += '\n';
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  static std::string comment(std::string_view text, bool may_break) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const std::uint32_t code_point = next_character(text, i);
      if (is_printable(code_point) || (code_point == '\n' && may_break)) {
        append_character(result, code_point);
      } else {
        result += ' ';
      }
    }
    return result;
  }

  static const Node& first_child(const Node& node) {
    return node.is(Node::Kind::Sequence) ? node.items().front() : node.entries().front().value;
  }

  std::string out_;
};

}  // namespace

std::string write_yaml(const Node& node) {
  YamlWriter writer;
  writer.write_document(node);
  return writer.take();
}

std::string write_yaml(const std::vector<Node>& documents) {
  std::string text;
  for (const Node& document : documents) {
    if (!text.empty()) text += "---\n";
    text += write_yaml(document);
  }
  return text;
}

}  // namespace gpushape::document
