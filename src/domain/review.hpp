// One result of a review: a rule, how grave it is, the place in the file, what is wrong there and
// what to do.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/name_table.hpp"

namespace gpushape::domain {

enum class Severity { Error, Warning, Note };

/// A change of a file's text: `length` bytes from line and column on become `text`. Nothing else of
/// the file changes.
struct TextEdit {
  int line = 0;
  int column = 0;
  int length = 0;  ///< within the line; 0: an insertion
  std::string text;

  bool operator==(const TextEdit&) const = default;
};

struct Finding {
  std::string rule;  ///< "VC-03"
  Severity severity = Severity::Warning;
  SourceSpan place;
  std::string message;  ///< complete on its own: names the thing and the values
  std::string fix;      ///< an action to take
  std::string why;
  std::string label;            ///< short text beside the caret; may be empty
  std::string excerpt;          ///< the source line that `place` points into
  int excerpt_column = 1;       ///< where the excerpt begins on that line
  std::string object;           ///< what it is about: "Deployment ai/llama-70b"; may be empty
  std::string path;             ///< within the object: "spec.template.spec.containers[0].image"
  std::vector<TextEdit> edits;  ///< the fix, where there is just one and it is certain

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
