#include "document/hcl_cursor.hpp"

#include <algorithm>

namespace gpushape::document {
namespace {

bool is_hcl_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::string_view HclCursor::take_row() {
  const std::size_t start = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  return text_since(start);
}

std::string HclCursor::read_name(const char* otherwise) {
  const std::size_t start = at_;
  while (!at_end() && is_hcl_letter(peek())) ++at_;
  if (at_ == start) fail(otherwise, "a review reads Terraform's native syntax");
  return std::string(text_since(start));
}

void HclCursor::skip_blank(bool with_lines) {
  while (!at_end()) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\r' || (with_lines && c == '\n')) {
      ++at_;
    } else if (c == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail("a comment is not closed", "end it with '*/'");
      at_ = end + 2;
    } else if (is_comment()) {
      take_row();
    } else {
      return;
    }
  }
}

void HclCursor::skip_brackets() {
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
void HclCursor::skip_string() {
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

Position HclCursor::position_of(std::size_t start, std::size_t end) {
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

Position HclCursor::with_length(Position place, std::size_t start, std::size_t end) const {
  const std::string_view word = text_.substr(std::min(start, text_.size()), end - start);
  place.length = std::max(1, static_cast<int>(std::min(word.find('\n'), word.size())));
  return place;
}

}  // namespace gpushape::document
