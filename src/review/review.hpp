// A review: the rule book held against manifests that exist already. Reads documents, never files:
// same documents and tables, same findings.
#pragma once

#include <span>
#include <vector>

#include "document/node.hpp"
#include "domain/device.hpp"
#include "domain/review.hpp"

namespace gpushape::review {

struct ReviewRequest {
  std::span<const document::Document> documents;  ///< of all files, in the order given
  std::span<const domain::Device> devices;        ///< the profile tables
};

/// In the order of documents, lines, columns and rules.
std::vector<domain::Finding> review(const ReviewRequest& request);

}  // namespace gpushape::review
