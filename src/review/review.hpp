// A review: the rule book held against manifests that exist already. Reads documents, never files:
// same documents and tables, same findings.
#pragma once

#include <vector>

#include "domain/review.hpp"
#include "review/request.hpp"

namespace gpushape::review {

/// What the documents hold, what is wrong there, and what had to be assumed. `files` and `faults`
/// are the caller's. What comments in the files answer is left out and counted.
domain::Review review_documents(const ReviewRequest& request);

/// Its findings: in the order of documents, lines, columns and rules.
std::vector<domain::Finding> review(const ReviewRequest& request);

}  // namespace gpushape::review
