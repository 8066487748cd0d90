// One result of a review: a rule, how grave it is, the place in the file, what is wrong there and
// what to do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
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

/// One thing that had to be taken for granted.
struct ReviewAssumption {
  std::string fact;   ///< "concurrency"
  std::string value;  ///< "1"
  std::string why;
  std::string flag;  ///< how to say it: an annotation, a flag

  bool operator==(const ReviewAssumption&) const = default;
};

/// A workload that was found behind a manifest, beside what the manifest asks for.
struct UnderstoodWorkload {
  std::string object;  ///< "Deployment ai/llama-70b"
  SourceSpan place;
  std::string engine;                  ///< "vllm 0.15"; empty where none is started
  std::string model;                   ///< id in the catalog; empty: not known
  std::string gpu;                     ///< device and profile; empty: not known
  std::optional<double> gpus;          ///< devices or shares of one pod
  std::optional<Bytes> need_bytes;     ///< of one GPU, at the high end
  std::optional<Bytes> visible_bytes;  ///< of one GPU, expected
  std::optional<std::string> fits_at;  ///< "high", "expected", "none"
  std::string gap;                     ///< why it could not be sized; empty where it could
  std::vector<ReviewAssumption> assumptions;

  bool operator==(const UnderstoodWorkload&) const = default;
};

struct KindCount {
  std::string kind;
  std::int64_t count = 0;

  bool operator==(const KindCount&) const = default;
};

/// The answer to one question of the buyer's checklist.
struct ChecklistAnswer {
  int number = 0;
  std::string group;
  std::string question;
  std::optional<bool> is_yes;  ///< empty: these files do not tell
  std::string because;         ///< "Namespace team-a and team-b share one control plane"
  SourceSpan place;            ///< line 0: of no one place
  std::string ask;             ///< where it could be said; only where they do not tell

  bool operator==(const ChecklistAnswer&) const = default;
};

/// All that a review says.
struct Review {
  std::vector<std::string> files;  ///< that could be read, in order
  std::int64_t documents = 0;
  std::vector<Finding> findings;
  std::vector<UnderstoodWorkload> workloads;
  std::vector<KindCount> unknown_kinds;    ///< left alone
  std::int64_t ignored = 0;                ///< findings that a comment in the file answers
  std::int64_t known = 0;                  ///< findings that the baseline holds
  std::vector<ChecklistAnswer> checklist;  ///< empty unless asked for
  Diagnostics faults;                      ///< of files that could not be read

  bool operator==(const Review&) const = default;
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
