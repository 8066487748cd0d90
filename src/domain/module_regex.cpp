#include "domain/module_regex.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace gpushape::domain {
namespace {

constexpr std::size_t kMostInstructions = 4'000;
constexpr int kMostGroups = 20;  // nested
constexpr int kMostAheads = 3;   // each may cost a run at every letter
constexpr std::size_t kLetters = std::numeric_limits<unsigned char>::max() + 1;

std::size_t index_of(char letter) { return static_cast<unsigned char>(letter); }

void add_range(std::vector<bool>& set, char from, char to) {
  for (std::size_t letter = index_of(from); letter <= index_of(to); ++letter) set[letter] = true;
}

std::vector<bool> only(char letter) {
  std::vector<bool> set(kLetters, false);
  set[index_of(letter)] = true;
  return set;
}

/// The letters of an escape: \d, \w, \s and their opposites, or the letter itself.
std::vector<bool> escaped(char letter) {
  std::vector<bool> set(kLetters, false);
  switch (letter) {
    case 'd':
    case 'D':
      add_range(set, '0', '9');
      break;
    case 'w':
    case 'W':
      add_range(set, '0', '9');
      add_range(set, 'a', 'z');
      add_range(set, 'A', 'Z');
      set[index_of('_')] = true;
      break;
    case 's':
    case 'S':
      for (const char space : {' ', '\t', '\n', '\r', '\f', '\v'}) set[index_of(space)] = true;
      break;
    default:
      return only(letter);
  }
  if (letter == 'D' || letter == 'W' || letter == 'S') set.flip();
  return set;
}

}  // namespace

/// Recursive descent; depth is bounded by kMostGroups, the program by kMostInstructions.
class RegexParser {
 public:
  RegexParser(std::string_view text, ModuleRegex& regex) : text_(text), regex_(regex) {}

  void parse() {
    Program whole = alternatives(0);
    if (at_ < text_.size()) fail("closes a group that is not open");
    whole.push_back({.kind = Kind::Match});
    regex_.program_ = std::move(whole);
  }

 private:
  using Kind = ModuleRegex::Kind;
  using Program = ModuleRegex::Program;

  void fail(std::string fault) {
    if (!regex_.fault_) regex_.fault_ = std::move(fault);
    at_ = text_.size();
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void append(Program& program, const Program& more) {
    if (program.size() + more.size() > kMostInstructions) {
      fail("is too long");
      return;
    }
    program.insert(program.end(), more.begin(), more.end());
  }

  Program alternatives(int depth) {
    if (depth > kMostGroups) {
      fail("has groups nested too deep");
      return {};
    }
    Program program = sequence(depth);
    while (!at_end() && peek() == '|') {
      ++at_;
      const Program other = sequence(depth);
      // split over the first to the second; the first jumps over the second.
      Program joined;
      const auto first = static_cast<std::int32_t>(program.size());
      joined.push_back({.kind = Kind::Split, .first = 1, .second = first + 2});
      append(joined, program);
      joined.push_back({.kind = Kind::Jump, .first = static_cast<std::int32_t>(other.size()) + 1});
      append(joined, other);
      program = std::move(joined);
    }
    return program;
  }

  Program sequence(int depth) {
    Program program;
    while (!at_end() && peek() != '|' && peek() != ')') append(program, repeated(atom(depth)));
    return program;
  }

  Program atom(int depth) {
    const char letter = text_[at_++];
    switch (letter) {
      case '^':
        return {{.kind = Kind::Begin}};
      case '$':
        return {{.kind = Kind::End}};
      case '.':
        return set(std::vector<bool>(kLetters, true));
      case '[':
        return set(letter_class());
      case '(':
        return group(depth);
      case '\\':
        if (at_end()) {
          fail("ends in a backslash");
          return {};
        }
        if (peek() == 'A' || peek() == 'Z') {
          return {{.kind = text_[at_++] == 'A' ? Kind::Begin : Kind::End}};
        }
        if (peek() == 'b' || peek() == 'B' || (peek() >= '1' && peek() <= '9')) {
          fail("has a word boundary or a back reference");
          return {};
        }
        return set(escaped(text_[at_++]));
      case '*':
      case '+':
      case '?':
        fail("repeats nothing");
        return {};
      default:
        return set(only(letter));
    }
  }

  Program set(std::vector<bool> letters) {
    const auto found = std::ranges::find(regex_.sets_, letters);
    const auto index = static_cast<std::int32_t>(found - regex_.sets_.begin());
    if (found == regex_.sets_.end()) regex_.sets_.push_back(std::move(letters));
    return {{.kind = Kind::Set, .first = index}};
  }

  std::vector<bool> letter_class() {
    std::vector<bool> letters(kLetters, false);
    const bool is_inverse = take("^");
    bool is_first = true;
    while (!at_end() && (peek() != ']' || is_first)) {
      is_first = false;
      char from = text_[at_++];
      if (from == '\\' && !at_end()) {
        const std::vector<bool> more = escaped(text_[at_++]);
        for (std::size_t i = 0; i < kLetters; ++i) letters[i] = letters[i] || more[i];
        continue;
      }
      char to = from;
      if (text_.substr(at_).starts_with('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        to = text_[at_ + 1];
        at_ += 2;
      }
      if (index_of(to) < index_of(from)) std::swap(from, to);
      add_range(letters, from, to);
    }
    if (!take("]")) fail("has a class that is not closed");
    if (is_inverse) letters.flip();
    return letters;
  }

  Program group(int depth) {
    Kind kind = Kind::Match;  // of a plain group
    if (take("?=")) kind = Kind::Ahead;
    if (take("?!")) kind = Kind::NotAhead;
    if (kind == Kind::Match && !take("?:") && peek() == '?') {
      fail("has a group of a kind that is not understood");
      return {};
    }
    if (kind != Kind::Match && ++aheads_ > kMostAheads) {
      fail("looks ahead too often");
      return {};
    }
    Program inner = alternatives(depth + 1);
    if (!take(")")) {
      fail("has a group that is not closed");
      return {};
    }
    if (kind == Kind::Match) return inner;
    inner.push_back({.kind = Kind::Match});
    Program program;
    program.push_back({.kind = kind, .first = static_cast<std::int32_t>(inner.size()) + 1});
    append(program, inner);
    return program;
  }

  Program repeated(Program piece) {
    while (!at_end()) {
      int least = 0;
      int most = -1;  // without end
      if (take("*")) {
      } else if (take("+")) {
        least = 1;
      } else if (take("?")) {
        most = 1;
      } else if (peek() != '{' || !counts(least, most)) {
        return piece;
      }
      take("?");  // a lazy one matches the same names
      piece = times(piece, least, most);
    }
    return piece;
  }

  // "{2}", "{2,}", "{2,5}"; a brace that is no count is a letter.
  bool counts(int& least, int& most) {
    const std::size_t close = text_.find('}', at_);
    if (close == std::string_view::npos) return false;
    const char* at = text_.data() + at_ + 1;
    const char* const end = text_.data() + close;
    const auto [after, error] = std::from_chars(at, end, least);
    if (error != std::errc() || least < 0) return false;
    most = least;
    if (after != end) {
      if (*after != ',') return false;
      most = -1;
      if (after + 1 != end) {
        const auto [rest, fault] = std::from_chars(after + 1, end, most);
        if (fault != std::errc() || rest != end || most < least) return false;
      }
    }
    at_ = close + 1;
    return true;
  }

  Program times(const Program& piece, int least, int most) {
    Program program;
    if (piece.empty()) return program;
    const auto length = static_cast<std::int32_t>(piece.size());
    for (int i = 0; i < least && !regex_.fault_; ++i) append(program, piece);
    if (most < 0) {
      program.push_back({.kind = Kind::Split, .first = 1, .second = length + 2});
      append(program, piece);
      program.push_back({.kind = Kind::Jump, .first = -length - 1});
      return program;
    }
    for (int i = least; i < most && !regex_.fault_; ++i) {
      program.push_back({.kind = Kind::Split, .first = 1, .second = length + 1});
      append(program, piece);
    }
    return program;
  }

  std::string_view text_;
  ModuleRegex& regex_;
  std::size_t at_ = 0;
  int aheads_ = 0;
};

ModuleRegex::ModuleRegex(std::string_view expression) { RegexParser(expression, *this).parse(); }

bool ModuleRegex::matches(std::string_view text) const { return !fault_ && run(0, text, 0); }

// Every thread of the program at once, a letter at a time.
bool ModuleRegex::run(std::size_t start, std::string_view text, std::size_t at) const {
  std::vector<std::size_t> threads;
  std::vector<std::size_t> next;
  std::vector<bool> seen(program_.size(), false);
  follow(threads, seen, start, text, at);
  for (;; ++at) {
    for (const std::size_t pc : threads) {
      if (program_[pc].kind == Kind::Match) return true;
    }
    if (at >= text.size() || threads.empty()) return false;
    next.clear();
    seen.assign(program_.size(), false);
    for (const std::size_t pc : threads) {
      if (sets_[static_cast<std::size_t>(program_[pc].first)][index_of(text[at])])
        follow(next, seen, pc + 1, text, at + 1);
    }
    std::swap(threads, next);
  }
}

// What can be reached without reading a letter: sets and the match.
void ModuleRegex::follow(std::vector<std::size_t>& threads, std::vector<bool>& seen, std::size_t pc,
                         std::string_view text, std::size_t at) const {
  std::vector<std::size_t> open = {pc};
  while (!open.empty()) {
    const std::size_t here = open.back();
    open.pop_back();
    if (here >= program_.size() || seen[here]) continue;
    seen[here] = true;
    const Instruction& instruction = program_[here];
    const auto target = [&](std::int32_t offset) {
      return static_cast<std::size_t>(static_cast<std::int64_t>(here) + offset);
    };
    switch (instruction.kind) {
      case Kind::Set:
      case Kind::Match:
        threads.push_back(here);
        break;
      case Kind::Split:
        open.push_back(target(instruction.second));
        open.push_back(target(instruction.first));
        break;
      case Kind::Jump:
        open.push_back(target(instruction.first));
        break;
      case Kind::Begin:
        if (at == 0) open.push_back(here + 1);
        break;
      case Kind::End:
        if (at == text.size()) open.push_back(here + 1);
        break;
      case Kind::Ahead:
      case Kind::NotAhead:
        if (run(here + 1, text, at) == (instruction.kind == Kind::Ahead))
          open.push_back(target(instruction.first));
        break;
    }
  }
}

}  // namespace gpushape::domain
