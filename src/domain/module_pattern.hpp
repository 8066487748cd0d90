// One pattern of modules.hpp, taken apart once and asked often.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/module_regex.hpp"

namespace gpushape::domain {

class ModulePattern {
 public:
  explicit ModulePattern(std::string_view pattern);

  [[nodiscard]] std::optional<std::string> fault() const;
  [[nodiscard]] bool matches(std::string_view module) const;
  /// A regular expression is asked about full names, the other forms about names without the words
  /// that wrap a language model.
  [[nodiscard]] bool matches_any(std::span<const std::string> names) const;
  /// Holds a number: layers may answer to it differently.
  [[nodiscard]] bool has_numbers() const { return has_numbers_; }

 private:
  std::string text_;  // without wrapping words, or the expression
  std::optional<ModuleRegex> regex_;
  bool is_glob_ = false;
  bool has_numbers_ = false;
};

/// "layers.3.mlp" of "model.language_model.layers.3.mlp"; a name that is nothing but such words is
/// "*".
std::string_view without_wrapping(std::string_view module);

}  // namespace gpushape::domain
