// What an earlier review found: with it, only what is new is shown. A finding is known again by its
// rule, file, object and path, not by its line, so that edits elsewhere in the file do not revive
// it.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/review.hpp"

namespace gpushape::review {

/// The findings of a `kind: Review` document.
Result<std::vector<domain::Finding>> read_baseline(const document::Document& document);

/// Takes out of the review what `known` holds, each as often as it stands there, and counts it.
void take_known(const std::vector<domain::Finding>& known, domain::Review& review);

}  // namespace gpushape::review
