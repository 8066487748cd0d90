// Regular expressions of module names, as checkpoints write them (Python's `re`, matched from the
// beginning of the name): a small program that is run over the name without going back, so that
// no expression takes longer than its length times that of the name.
//
// Understood are literals, escapes (\. \d \w \s), `.`, classes, groups, `|`, `* + ? {m,n}` (lazy
// ones, too), `^`, `$`, and look-ahead groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpushape::domain {

class ModuleRegex {
 public:
  explicit ModuleRegex(std::string_view expression);

  /// What is wrong with the expression; nothing where it is understood.
  [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }
  /// Whether a beginning of `text` matches; false where the expression has a fault.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  friend class RegexParser;

  enum class Kind : std::uint8_t { Set, Split, Jump, Begin, End, Ahead, NotAhead, Match };
  /// Targets are relative, so that pieces of programs can be put together.
  struct Instruction {
    Kind kind = Kind::Match;
    std::int32_t first =
        1;  ///< Set: which set; Split, Jump: where to; Ahead: length of its program
    std::int32_t second = 1;  ///< Split: the other way
  };
  using Program = std::vector<Instruction>;
  using Set = std::vector<bool>;

  [[nodiscard]] bool run(std::size_t start, std::string_view text, std::size_t at) const;
  void follow(std::vector<std::size_t>& threads, std::vector<bool>& seen, std::size_t pc,
              std::string_view text, std::size_t at) const;

  Program program_;
  std::vector<Set> sets_;
  std::optional<std::string> fault_;
};

}  // namespace gpushape::domain
