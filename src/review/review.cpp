#include "review/review.hpp"

#include <utility>

#include "review/deployment.hpp"
#include "review/rules.hpp"

namespace gpushape::review {

std::vector<domain::Finding> review(const ReviewRequest& request) {
  const Deployment deployment = read_deployment(request);
  Report report;
  for (const RuleRow& rule : rules()) {
    report.begin(rule);
    rule.function(deployment, report);
  }
  return std::move(report).take(request.documents);
}

}  // namespace gpushape::review
