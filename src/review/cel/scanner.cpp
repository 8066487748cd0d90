#include "review/cel/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace gpushape::review::cel {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::expected<std::vector<Token>, Fault> all() {
    while (skip_blanks() && !fault_) {
      const std::size_t start = at_;
      Token token = one();
      token.offset = start;
      token.text = std::string(text_.substr(start, at_ - start));
      tokens_.push_back(std::move(token));
    }
    if (fault_) return std::unexpected(*fault_);
    tokens_.push_back({.kind = Token::Kind::End, .offset = text_.size()});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void fail(std::string message) {
    if (!fault_) fault_ = Fault{std::move(message), at_};
    at_ = text_.size();
  }

  /// Whether something follows.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n\f").contains(peek())) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  Token one() {
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (const auto prefix = string_prefix()) return quoted(*prefix);
    if (is_letter(peek())) return name();
    for (const std::string_view sign : {"&&", "||", "==", "!=", "<=", ">="}) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      return {.kind = Token::Kind::Sign};
    }
    if (!std::string_view("()[]{}.,?:<>!+-*/%").contains(peek())) {
      fail(fmt::format("syntax error: unexpected letter '{}'", peek()));
    } else {
      ++at_;
    }
    return {.kind = Token::Kind::Sign};
  }

  Token name() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "true" || word == "false") {
      return {.kind = Token::Kind::Value, .value = boolean(word == "true")};
    }
    if (word == "null") return {.kind = Token::Kind::Value};
    return {.kind = Token::Kind::Name};
  }

  Token number() {
    const char* const first = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const bool is_hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    Value value = integer(0);
    const char* rest = nullptr;
    std::errc code{};
    if (is_hex) {
      std::tie(rest, code) = parts(std::from_chars(first + 2, end, value.number, 16));
    } else {
      std::tie(rest, code) = parts(std::from_chars(first, end, value.number));
      if (code == std::errc() && rest != end && (*rest == '.' || *rest == 'e' || *rest == 'E')) {
        value = real(0);
      }
      if (value.kind == Kind::Double || peek() == '.') {
        value = real(0);
        std::tie(rest, code) = parts(std::from_chars(first, end, value.real));
      }
    }
    if (code != std::errc()) {
      fail("syntax error: number out of range");
      return {};
    }
    at_ = static_cast<std::size_t>(rest - text_.data());
    if (value.kind == Kind::Int && (peek() == 'u' || peek() == 'U')) {
      ++at_;
      value.kind = Kind::Uint;
    }
    return {.kind = Token::Kind::Value, .value = std::move(value)};
  }
  static std::pair<const char*, std::errc> parts(std::from_chars_result result) {
    return {result.ptr, result.ec};
  }

  struct Prefix {
    std::size_t length = 0;
    bool is_raw = false;
  };
  /// r"…", b'…', or a quote at once.
  [[nodiscard]] std::optional<Prefix> string_prefix() const {
    Prefix prefix;
    while (prefix.length < 2 && std::string_view("rRbB").contains(peek(prefix.length))) {
      prefix.is_raw = prefix.is_raw || peek(prefix.length) == 'r' || peek(prefix.length) == 'R';
      ++prefix.length;
    }
    const char quote = peek(prefix.length);
    if (quote != '\'' && quote != '"') return std::nullopt;
    return prefix;
  }

  Token quoted(const Prefix& prefix) {
    const std::size_t start = at_;
    at_ += prefix.length;
    const char quote = peek();
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string close = is_long ? three : std::string(1, quote);
    at_ += close.size();
    std::string out;
    while (!text_.substr(at_).starts_with(close)) {
      if (at_ >= text_.size() || (!is_long && peek() == '\n')) {
        at_ = start;
        fail("syntax error: string is not closed");
        return {};
      }
      if (peek() == '\\' && !prefix.is_raw) {
        ++at_;
        escape(out);
      } else {
        out += text_[at_++];
      }
      if (fault_) return {};
    }
    at_ += close.size();
    return {.kind = Token::Kind::Value, .value = string(std::move(out))};
  }

  void escape(std::string& out) {
    constexpr std::string_view kLetters = R"(abfnrtv\'"`?)";
    constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"`?";
    const char c = peek();
    ++at_;
    if (const std::size_t found = kLetters.find(c); found != std::string_view::npos) {
      out += kMeant[found];
    } else if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
      digits(out, c == 'u' ? 4 : c == 'U' ? 8 : 2, 16);
    } else if (c >= '0' && c <= '3') {
      --at_;
      digits(out, 3, 8);
    } else {
      --at_;
      fail(fmt::format("syntax error: unknown escape '\\{}'", c));
    }
  }

  void digits(std::string& out, int count, int base) {
    std::uint32_t point = 0;
    for (int i = 0; i < count; ++i) {
      const int digit = hex_digit(peek());
      if (digit < 0 || digit >= base) return fail("syntax error: escape is cut short");
      point = point * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
      ++at_;
    }
    if (point > 0x10FFFF) return fail("syntax error: escape names no letter");
    append_utf8(out, point);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::optional<Fault> fault_;
};

}  // namespace

std::expected<std::vector<Token>, Fault> scan(std::string_view text) { return Scanner(text).all(); }

}  // namespace gpushape::review::cel
