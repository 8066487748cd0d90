// A review: the rule book held against manifests that exist already. Reads documents, never files:
// same documents and tables, same findings.
#pragma once

#include <vector>

#include "domain/review.hpp"
#include "review/request.hpp"

namespace gpushape::review {

/// In the order of documents, lines, columns and rules.
std::vector<domain::Finding> review(const ReviewRequest& request);

}  // namespace gpushape::review
