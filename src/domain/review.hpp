// One result of a review: a rule, how grave it is, the place in the file, what is wrong there and
// what to do.
#pragma once

#include <array>
#include <string>

#include "base/diagnostic.hpp"
#include "base/name_table.hpp"

namespace gpushape::domain {

enum class Severity { Error, Warning, Note };

struct Finding {
  std::string rule;  ///< "VC-03"
  Severity severity = Severity::Warning;
  SourceSpan place;
  std::string message;  ///< complete on its own: names the thing and the values
  std::string fix;      ///< an action to take
  std::string why;
  std::string label;       ///< short text beside the caret; may be empty
  std::string excerpt;     ///< the source line that `place` points into
  int excerpt_column = 1;  ///< where the excerpt begins on that line

  bool operator==(const Finding&) const = default;
};

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Severity> = std::to_array<NameRow<domain::Severity>>({
    {domain::Severity::Error, "error", "it fails, or breaks a guarantee that was asked for"},
    {domain::Severity::Warning, "warning", "it works, and costs or risks more than it should"},
    {domain::Severity::Note, "note", "worth knowing"},
});
}  // namespace gpushape
