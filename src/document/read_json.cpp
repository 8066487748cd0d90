// A JSON reader of our own: RFC 8259 and the three words that Python writes for numbers that are
// none. It has no recursion, keeps the place of every value and reads in one pass.
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "document/input_text.hpp"
#include "document/scalar.hpp"
#include "document/text_format.hpp"
#include "document/tree_builder.hpp"
#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == '-';
}

class JsonReader {
 public:
  JsonReader(const Source& source, const Limits& limits)
      : text_(source.text), builder_(source, limits) {}

  Node read() {
    do {
      read_value();
      finish_value();
    } while (builder_.is_open());
    skip_space();
    if (at_ < text_.size()) {
      fail("nothing may follow the value", "one JSON file holds one value");
    }
    return builder_.take_root();
  }

 private:
  // Reads a scalar or an empty collection, or opens a collection up to its first value.
  void read_value() {
    for (;;) {
      skip_space();
      const Position position = here();
      const char letter = peek();
      if (letter == '[' || letter == '{') {
        ++at_;
        const bool is_mapping = letter == '{';
        builder_.open(is_mapping ? Node::Kind::Mapping : Node::Kind::Sequence, position);
        skip_space();
        if (peek() == (is_mapping ? '}' : ']')) return;
        if (is_mapping) read_key();
      } else {
        const std::size_t start = at_;
        Node node = read_scalar();
        node.set_quoted(letter == '"');
        node.set_position(with_length(position, start));
        builder_.add(std::move(node));
        return;
      }
    }
  }

  // After a value: closes what ends here, up to the comma before the next value.
  void finish_value() {
    while (builder_.is_open()) {
      skip_space();
      const bool is_mapping = builder_.open_kind() == Node::Kind::Mapping;
      const char closing = is_mapping ? '}' : ']';
      if (peek() == closing) {
        ++at_;
        builder_.add(builder_.close());
        continue;
      }
      if (peek() != ',') fail_unclosed(closing);
      ++at_;
      skip_space();
      if (peek() == closing) {
        fail(std::string("a value is missing between ',' and '") + closing + "'",
             "take out the comma");
      }
      if (is_mapping) read_key();
      return;
    }
  }

  Node read_scalar() {
    const char letter = peek();
    if (letter == '"') return read_string();
    return letter == '-' || is_digit(letter) ? read_number() : read_word();
  }

  void read_key() {
    skip_space();
    const Position position = here();
    const std::size_t start = at_;
    if (peek() != '"') {
      if (at_ == text_.size()) fail_unclosed('}');
      fail("expected a field name in double quotes" + found());
    }
    std::string name = read_string();
    const Position place = with_length(position, start);
    skip_space();
    if (peek() != ':') fail("expected ':' after a field name" + found());
    ++at_;
    builder_.key(std::move(name), place);
  }

  std::string read_string() {
    const std::size_t opening = at_++;
    std::string result;
    for (;;) {
      const std::size_t run_end = text_.find_first_of("\"\\\n\r\t", at_);
      if (run_end == std::string_view::npos) fail_at(opening, "this string does not end");
      result += text_.substr(at_, run_end - at_);
      at_ = run_end;
      if (text_[at_] == '"') {
        ++at_;
        return result;
      }
      if (text_[at_] == '\n' || text_[at_] == '\r') {
        fail_at(opening, "this string does not end on its line", R"(write a line break as \n)");
      }
      if (text_[at_] == '\t') fail("a tab may not stand in a string", R"(write it as \t)");
      read_escape(result);
    }
  }

  void read_escape(std::string& result) {
    const std::size_t start = at_++;
    const char letter = peek();
    if (letter == 'u') {
      ++at_;
      append_character(result, read_code_point(start));
      return;
    }
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t index = letter == '\0' ? std::string_view::npos : kLetters.find(letter);
    if (index == std::string_view::npos) {
      fail_at(start, "unknown escape in a string", R"(write a backslash as \\)");
    }
    result += kMeanings[index];
    ++at_;
  }

  std::uint32_t read_code_point(std::size_t start) {
    const std::uint32_t first = read_four_digits(start);
    const bool is_high = first >= 0xD800 && first < 0xDC00;
    if (is_high && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      const std::uint32_t second = read_four_digits(start);
      if (second >= 0xDC00 && second < 0xE000) {
        return 0x10000U + ((first - 0xD800U) << 10U) + (second - 0xDC00U);
      }
    }
    if (first >= 0xD800 && first < 0xE000) {
      fail_at(start, "half of a surrogate pair stands alone in a string");
    }
    return first;
  }

  std::uint32_t read_four_digits(std::size_t start) {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t value = 0;
    const char* const end = digits.data() + digits.size();
    if (digits.size() < 4 || std::from_chars(digits.data(), end, value, 16).ptr != end) {
      fail_at(start, R"(\u is followed by four hexadecimal digits)");
    }
    at_ += 4;
    return value;
  }

  Node read_number() {
    const std::size_t start = at_;
    if (peek() == '-') ++at_;
    if (text_.substr(at_).starts_with("Infinity")) {
      at_ = start;
      return read_word();
    }
    const std::size_t whole = at_;
    if (skip_digits() == 0) fail_at(start, "'-' is not followed by a number");
    if (text_[whole] == '0' && at_ - whole > 1) {
      fail_at(start, "a number may not begin with 0", "take out the leading zeros");
    }
    bool is_integer = true;
    if (peek() == '.') {
      is_integer = false;
      ++at_;
      if (skip_digits() == 0) fail_at(start, "'.' is not followed by a digit");
    }
    if (peek() == 'e' || peek() == 'E') {
      is_integer = false;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (skip_digits() == 0) fail_at(start, "the exponent of this number has no digit");
    }
    const std::string_view number = text_.substr(start, at_ - start);
    if (is_word_letter(peek()) || peek() == '.') {
      fail_at(start, "this is not a number", "put text in double quotes");
    }
    if (is_integer) {
      std::int64_t value = 0;
      const auto error = std::from_chars(number.data(), number.data() + number.size(), value).ec;
      if (error == std::errc()) return value;
    }
    return to_double(number);
  }

  Node read_word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word_letter(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "true") return true;
    if (word == "false") return false;
    if (word == "null") return {};
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
    at_ = start;
    if (at_ == text_.size()) {
      if (builder_.is_open())
        fail_unclosed(builder_.open_kind() == Node::Kind::Mapping ? '}' : ']');
      fail("expected a value" + found());
    }
    if (word.empty()) fail("expected a value" + found());
    std::string help = "put text in double quotes";
    if (word == "True" || word == "False") help = "JSON writes true and false in small letters";
    if (word == "None") help = "JSON writes null";
    fail("expected a value" + found(), std::move(help));
  }

  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

  std::size_t skip_digits() {
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_not_of(kDigits, at_), text_.size());
    return at_ - start;
  }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char letter = text_[at_];
      if (letter == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (letter != ' ' && letter != '\t' && letter != '\r') {
        return;
      }
    }
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  // No value spans lines, so the line of the last blank is the line of every byte since.
  [[nodiscard]] Position place_of(std::size_t offset) const {
    return {.line = line_, .column = static_cast<int>(offset - line_start_) + 1};
  }
  [[nodiscard]] Position here() const { return place_of(at_); }
  [[nodiscard]] Position with_length(Position position, std::size_t start) const {
    position.length = static_cast<int>(at_ - start);
    return position;
  }

  // ", found 'x'" for what stands here.
  [[nodiscard]] std::string found() const {
    if (at_ == text_.size()) return ", found the end of the text";
    constexpr std::size_t kLongestWord = 20;
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < kLongestWord && is_word_letter(text_[end])) ++end;
    if (end == at_) end += character_length(text_, at_);
    return ", found '" + std::string(text_.substr(at_, end - at_)) + "'";
  }

  [[noreturn]] void fail_unclosed(char closing) {
    const char opening = closing == '}' ? '{' : '[';
    const Position opened = builder_.open_position();
    std::string help;
    if (at_ == text_.size()) {
      help = std::string("the '") + opening + "' of line " + std::to_string(opened.line) +
             ", column " + std::to_string(opened.column) + " is not closed";
    }
    fail(std::string("expected ',' or '") + closing + "'" + found(), std::move(help));
  }
  [[noreturn]] void fail(std::string message, std::string help = {}) const {
    fail_at(at_, std::move(message), std::move(help));
  }
  [[noreturn]] void fail_at(std::size_t offset, std::string message, std::string help = {}) const {
    builder_.fail(place_of(offset), "not valid JSON: " + std::move(message), std::move(help));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_start_ = 0;
  TreeBuilder builder_;
};

}  // namespace

Result<Document> read_json(std::string_view text, std::string file, const Limits& limits) {
  Result<std::shared_ptr<const Source>> source = accept_text(text, std::move(file), limits);
  if (!source) return std::unexpected(std::move(source).error());
  try {
    return Document{JsonReader(**source, limits).read(), *source};
  } catch (Fault& fault) {
    return failure(std::move(fault.diagnostic));
  }
}

}  // namespace gpushape::document
