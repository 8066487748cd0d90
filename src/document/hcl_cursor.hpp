// A place in a text of Terraform's language that moves on over blanks, comments, names and
// brackets, and says where it is. What it cannot pass ends the reading as a Fault with its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/node.hpp"
#include "document/text_format.hpp"
#include "document/tree_builder.hpp"

namespace gpushape::document {

/// Source and its text outlive it.
class HclCursor {
 public:
  HclCursor(const Source& source, const Limits& limits)
      : text_(source.text), faults_(source, limits) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  /// The letter that comes next, or `further` behind it; '\0' behind the end.
  [[nodiscard]] char peek(std::size_t further = 0) const {
    return at_ + further < text_.size() ? text_[at_ + further] : '\0';
  }
  [[nodiscard]] bool is_comment() const {
    return peek() == '#' || (peek() == '/' && (peek(1) == '/' || peek(1) == '*'));
  }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] std::string_view text_since(std::size_t start) const {
    return text_.substr(start, at_ - start);
  }

  void go_to(std::size_t place) { at_ = place; }
  void step(std::size_t letters = 1) { at_ += letters; }
  /// Not at the end.
  char take() { return text_[at_++]; }
  /// To the end of the line, which is left where it is.
  std::string_view take_row();
  /// Letters, digits, '_' and '-'; fails with `otherwise` where there is none of them.
  std::string read_name(const char* otherwise);
  /// Comments, too.
  void skip_blank(bool with_lines);
  /// From an opening bracket to behind its partner; strings inside are strings.
  void skip_brackets();

  /// Counts one node against the limit.
  void count_node() { faults_.count(1, position_of(at_, at_ + 1)); }

  Position position_of(std::size_t start, std::size_t end);
  Position position_since(std::size_t start) { return position_of(start, at_); }
  /// To `end` or the end of the line.
  [[nodiscard]] Position with_length(Position place, std::size_t start, std::size_t end) const;
  [[nodiscard]] Position with_length(Position place, std::size_t start) const {
    return with_length(place, start, at_);
  }

  [[noreturn]] void fail(std::string message, std::string help) {
    fail_at(at_, std::move(message), std::move(help));
  }
  [[noreturn]] void fail_at(std::size_t place, std::string message, std::string help) {
    faults_.fail(position_of(place, place + 1), std::move(message), std::move(help));
  }

 private:
  void skip_string();

  std::string_view text_;
  TreeBuilder faults_;
  std::size_t at_ = 0;
  // Offsets grow, and lines are counted on from the last one; a fault may look back.
  std::size_t counted_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace gpushape::document
