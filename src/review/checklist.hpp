// The buyer's nineteen questions on isolation, sharing, operations, autonomy and longevity,
// answered from the documents, from a `kind: Platform` document and from what the rules found. What
// none of them tells stays open.
//
// Source: the questions are those of the evaluation checklist for multi-tenant GPU platforms.
#pragma once

#include <span>
#include <vector>

#include "domain/review.hpp"
#include "review/deployment.hpp"

namespace gpushape::review {

/// All of them, in order.
std::vector<domain::ChecklistAnswer> answer_checklist(const Deployment& deployment,
                                                      std::span<const domain::Finding> findings);

}  // namespace gpushape::review
