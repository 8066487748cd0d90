#include "document/json_stream.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "document/scalar.hpp"
#include "document/unicode.hpp"

namespace gpushape::document {
namespace {

bool is_json_digit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

JsonStream::Event JsonStream::fail(std::size_t at, std::string_view message) {
  if (fault_.empty()) {
    fault_ = message;
    start_ = at;
  }
  return Event::Fault;
}

void JsonStream::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

JsonStream::Event JsonStream::next() {
  if (!fault_.empty()) return Event::Fault;
  skip_space();
  start_ = at_;
  switch (wanted_) {
    case Wanted::FirstInMapping:
      return peek() == '}' ? close() : read_name();
    case Wanted::FirstInSequence:
      if (peek() == ']') return close();
      return read_value();
    case Wanted::Value:
      return read_value();
    case Wanted::NameAfterComma:
      return read_name();
    case Wanted::AfterValue:
      break;
  }
  if (open_.empty()) return at_ == text_.size() ? Event::End : fail(at_, "more than one value");
  const bool is_mapping = open_.back();
  if (peek() == (is_mapping ? '}' : ']')) return close();
  if (peek() != ',') return fail(at_, is_mapping ? "expected ',' or '}'" : "expected ',' or ']'");
  ++at_;
  skip_space();
  start_ = at_;
  return is_mapping ? read_name() : read_value();
}

bool JsonStream::skip_value() {
  std::size_t depth = 0;
  do {
    switch (next()) {
      case Event::BeginMapping:
      case Event::BeginSequence:
        ++depth;
        break;
      case Event::EndMapping:
      case Event::EndSequence:
        if (depth == 0) return false;
        --depth;
        break;
      case Event::Name:
        break;
      case Event::End:
      case Event::Fault:
        return false;
      default:
        break;
    }
  } while (depth > 0);
  return true;
}

JsonStream::Event JsonStream::open(bool is_mapping) {
  if (static_cast<int>(open_.size()) >= most_depth_) return fail(at_, "nested too deep");
  ++at_;
  open_.push_back(is_mapping);
  wanted_ = is_mapping ? Wanted::FirstInMapping : Wanted::FirstInSequence;
  return is_mapping ? Event::BeginMapping : Event::BeginSequence;
}

JsonStream::Event JsonStream::close() {
  const bool is_mapping = open_.back();
  ++at_;
  open_.pop_back();
  wanted_ = Wanted::AfterValue;
  return is_mapping ? Event::EndMapping : Event::EndSequence;
}

JsonStream::Event JsonStream::read_name() {
  if (peek() != '"') return fail(at_, "expected a name in double quotes");
  if (!read_string()) return Event::Fault;
  skip_space();
  if (peek() != ':') return fail(at_, "expected ':' after a name");
  ++at_;
  wanted_ = Wanted::Value;
  return Event::Name;
}

JsonStream::Event JsonStream::read_value() {
  const char letter = peek();
  if (letter == '{') return open(true);
  if (letter == '[') return open(false);
  wanted_ = Wanted::AfterValue;
  if (letter == '"') return read_string() ? Event::String : Event::Fault;
  if (letter == '-' || is_json_digit(letter)) return read_number();
  return read_word();
}

JsonStream::Event JsonStream::read_word() {
  const std::string_view rest = text_.substr(at_);
  const auto take = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    at_ += word.size();
    return true;
  };
  if (take("true")) {
    integer_ = 1;
    return Event::Boolean;
  }
  if (take("false")) {
    integer_ = 0;
    return Event::Boolean;
  }
  if (take("null")) return Event::Null;
  if (take("NaN")) {
    number_ = std::numeric_limits<double>::quiet_NaN();
    return Event::Number;
  }
  if (take("Infinity")) {
    number_ = std::numeric_limits<double>::infinity();
    return Event::Number;
  }
  return fail(at_, at_ == text_.size() ? "the text ends in the middle" : "expected a value");
}

JsonStream::Event JsonStream::read_number() {
  const std::size_t start = at_;
  if (text_.substr(at_).starts_with("-Infinity")) {
    at_ += std::string_view("-Infinity").size();
    number_ = -std::numeric_limits<double>::infinity();
    return Event::Number;
  }
  if (peek() == '-') ++at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (is_json_digit(peek())) ++at_;
    return at_ - first;
  };
  const std::size_t whole = at_;
  const std::size_t count = digits();
  if (count == 0 || (text_[whole] == '0' && count > 1)) return fail(start, "this is not a number");
  bool is_integer = true;
  if (peek() == '.') {
    is_integer = false;
    ++at_;
    if (digits() == 0) return fail(start, "this is not a number");
  }
  if (peek() == 'e' || peek() == 'E') {
    is_integer = false;
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (digits() == 0) return fail(start, "this is not a number");
  }
  const std::string_view number = text_.substr(start, at_ - start);
  if (is_integer) {
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), integer_);
    if (error == std::errc()) {
      number_ = static_cast<double>(integer_);
      return Event::Integer;
    }
  }
  number_ = to_double(number);
  return Event::Number;
}

bool JsonStream::read_string() {
  const std::size_t opening = at_++;
  bool has_escapes = false;
  for (;;) {
    const std::size_t run_end = std::min(text_.find_first_of("\"\\", at_), text_.size());
    const std::string_view run = text_.substr(at_, run_end - at_);
    const auto control = std::ranges::find_if(
        run, [](char letter) { return static_cast<unsigned char>(letter) < 0x20; });
    if (control != run.end()) {
      fail(at_ + static_cast<std::size_t>(control - run.begin()),
           "a control character stands in a string");
      return false;
    }
    if (run_end == text_.size()) {
      fail(opening, "this string does not end");
      return false;
    }
    if (text_[run_end] == '"') {
      if (has_escapes) unescaped_ += run;
      string_ = has_escapes ? std::string_view(unescaped_) : run;
      at_ = run_end + 1;
      if (first_invalid_byte(string_)) {
        fail(opening, "this string is not UTF-8");
        return false;
      }
      return true;
    }
    if (!has_escapes) unescaped_.clear();
    has_escapes = true;
    unescaped_ += run;
    at_ = run_end;
    if (!read_escape()) return false;
  }
}

bool JsonStream::read_escape() {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t start = at_++;
  const auto four_digits = [&](std::uint32_t& value) {
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    const char* const end = digits.data() + digits.size();
    if (digits.size() < 4 || std::from_chars(digits.data(), end, value, 16).ptr != end)
      return false;
    at_ += 4;
    return true;
  };
  const std::size_t index = peek() == '\0' ? std::string_view::npos : kLetters.find(peek());
  if (index != std::string_view::npos) {
    unescaped_ += kMeanings[index];
    ++at_;
    return true;
  }
  if (peek() == 'u') {
    ++at_;
    std::uint32_t code = 0;
    bool is_valid = four_digits(code);
    if (is_valid && code >= 0xD800 && code < 0xDC00) {
      std::uint32_t low = 0;
      is_valid = text_.substr(at_).starts_with("\\u");
      if (is_valid) at_ += 2;
      is_valid = is_valid && four_digits(low) && low >= 0xDC00 && low < 0xE000;
      code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
    } else if (code >= 0xDC00 && code < 0xE000) {
      is_valid = false;
    }
    if (is_valid) {
      append_character(unescaped_, code);
      return true;
    }
  }
  fail(start, "unknown escape in a string");
  return false;
}

}  // namespace gpushape::document
