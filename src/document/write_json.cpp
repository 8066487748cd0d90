#include <cmath>
#include <stdexcept>

#include "document/number_text.hpp"
#include "document/text_format.hpp"
#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, for what is not UTF-8

void write_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    const char letter = text[i];
    const auto code = static_cast<unsigned char>(letter);
    if (length == 0) {
      out += kReplacement;
    } else if (letter == '"' || letter == '\\') {
      out += {'\\', letter};
    } else if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\t') {
      out += "\\t";
    } else if (letter == '\r') {
      out += "\\r";
    } else if (code < 0x20 || code == 0x7F) {
      out += "\\u00";
      out += {kHexadecimal[code >> 4U], kHexadecimal[code & 0xFU]};
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

void break_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

void write_value(std::string& out, const Node& node, std::size_t depth) {
  switch (node.kind()) {
    case Node::Kind::Null:
      out += "null";
      return;
    case Node::Kind::Boolean:
      out += node.boolean() ? "true" : "false";
      return;
    case Node::Kind::Integer:
      out += std::to_string(node.integer());
      return;
    case Node::Kind::Number:
      if (!std::isfinite(node.number())) throw std::logic_error("JSON has no infinite number");
      out += number_text(node.number());
      return;
    case Node::Kind::String:
      write_string(out, node.text());
      return;
    case Node::Kind::Sequence:
      out += '[';
      for (const Node& item : node.items()) {
        if (&item != &node.items().front()) out += ',';
        break_line(out, depth + 1);
        write_value(out, item, depth + 1);
      }
      if (!node.items().empty()) break_line(out, depth);
      out += ']';
      return;
    case Node::Kind::Mapping:
      out += '{';
      for (const Node::Entry& entry : node.entries()) {
        if (&entry != &node.entries().front()) out += ',';
        break_line(out, depth + 1);
        write_string(out, entry.name);
        out += ": ";
        write_value(out, entry.value, depth + 1);
      }
      if (!node.entries().empty()) break_line(out, depth);
      out += '}';
      return;
  }
}

}  // namespace

std::string write_json(const Node& node) {
  std::string out;
  write_value(out, node, 0);
  out += '\n';
  return out;
}

}  // namespace gpushape::document
