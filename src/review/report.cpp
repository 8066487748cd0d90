#include <algorithm>
#include <tuple>
#include <utility>

#include "review/rules.hpp"

namespace gpushape::review {

void Report::add(const document::Document& document, const document::Node& place, Remark remark) {
  Diagnostic diagnostic =
      document.source->diagnostic(place.position(), std::move(remark.message),
                                  std::move(remark.fix).value_or(std::string(rule_->fix)),
                                  std::string(remark.label.value_or(std::string_view())));
  domain::Finding finding;
  finding.rule = rule_->id;
  finding.severity = remark.severity.value_or(rule_->severity);
  finding.place = std::move(diagnostic.span);
  finding.message = std::move(diagnostic.message);
  finding.fix = std::move(diagnostic.help);
  finding.why = rule_->why;
  finding.label = std::move(diagnostic.label);
  finding.excerpt = std::move(diagnostic.excerpt);
  finding.excerpt_column = diagnostic.excerpt_column;
  entries_.push_back({&document, std::move(finding)});
}

std::vector<domain::Finding> Report::take(std::span<const document::Document> documents) && {
  const auto order = [first = documents.data()](const Entry& entry) {
    const domain::Finding& finding = entry.finding;
    return std::tuple(entry.document - first, finding.place.line, finding.place.column,
                      std::string_view(finding.rule), std::string_view(finding.message));
  };
  std::ranges::sort(entries_, {}, order);
  std::vector<domain::Finding> findings;
  findings.reserve(entries_.size());
  for (Entry& entry : entries_) findings.push_back(std::move(entry.finding));
  return findings;
}

}  // namespace gpushape::review
