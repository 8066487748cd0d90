// The files that a review is given: documents, folders of them with all that is below, scripts,
// standard input.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"

namespace gpushape::cli {

struct ReviewFiles {
  std::vector<std::string> files;  ///< that could be read, in order
  std::vector<document::Document> documents;
  Diagnostics faults;              ///< of the others: one broken file hides no other
  std::vector<std::string> notes;  ///< what was passed over, for people
};

/// A folder stands for its manifests (.yaml, .yml, .json, .sh, .service) and those of its folders,
/// in the order of their names; what a chart keeps as templates is passed over.
Result<ReviewFiles> read_review_files(const std::vector<std::string>& given);

}  // namespace gpushape::cli
