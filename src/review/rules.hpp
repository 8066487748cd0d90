// The review rules: one row and one file each. A rule looks at the deployment alone and reports
// what it finds, with the values that fired it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/review.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

struct RuleRow;

/// What a rule adds to its row for one place.
struct Remark {
  std::string message;
  std::optional<std::string> fix = std::nullopt;            ///< with the values; empty: the row's
  std::optional<std::string_view> label = std::nullopt;     ///< short text beside the caret
  std::optional<domain::Severity> severity = std::nullopt;  ///< empty: the row's
  std::vector<domain::TextEdit> edits = {};                 ///< a fix that is certain (edits.hpp)
  std::optional<std::string_view> why = std::nullopt;       ///< empty: the row's
};

/// Collects findings; knows which rule is speaking.
class Report {
 public:
  void begin(const RuleRow& rule) { rule_ = &rule; }
  void add(const document::Document& document, const document::Node& place, Remark remark);
  /// At a word of a command line, say.
  void add(const document::Document& document, document::Position place, Remark remark);
  /// At a place that is kept as a span of a file.
  void add_at(const Deployment& deployment, const SourceSpan& place, Remark remark);
  /// Whether something like that was found so far.
  [[nodiscard]] bool has(const std::function<bool(const domain::Finding&)>& is_it) const;
  /// In the order of documents, lines, columns and rules.
  [[nodiscard]] std::vector<domain::Finding> take(std::span<const document::Document> documents) &&;

 private:
  struct Entry {
    const document::Document* document = nullptr;
    domain::Finding finding;
  };
  const RuleRow* rule_ = nullptr;
  std::vector<Entry> entries_;
  std::map<std::string, const document::Document*, std::less<>> files_;  ///< the first of each
};

using RuleFunction = void (*)(const Deployment&, Report&);

struct RuleRow {
  std::string_view id;  ///< "VC-03"
  domain::Severity severity = domain::Severity::Warning;
  std::string_view title;  ///< a short sentence
  std::string_view why;
  std::string_view fix;
  std::string_view source;
  RuleFunction function = nullptr;
};

/// In display order.
std::span<const RuleRow> rules();

/// Whether `--rule` and `--skip` let that rule speak: "VC-03", or "VC" for all of them.
bool is_chosen(std::string_view id, const ReviewRequest& request);

}  // namespace gpushape::review
