// Comments that answer a finding where it stands:
//
//   replicas: 2  # gpushape: ignore RO-01 the second GPU is kept free for roll-outs
//
// A comment behind a line speaks for that line and for what is nested below it; a comment on a line
// of its own for the next line and what is nested below that; one above the first line of a
// document for the whole document. Several ids are parted by commas; the reason is not optional.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "document/node.hpp"
#include "domain/review.hpp"

namespace gpushape::review {

struct Ignore {
  const document::Document* document = nullptr;  ///< the first one of the file
  document::Position position;                   ///< of the comment
  std::vector<std::string> rules;
  std::string reason;  ///< empty: none is given
  int first_line = 0;  ///< what it speaks for
  int last_line = 0;
};

/// Of all files, in order.
std::vector<Ignore> read_ignores(std::span<const document::Document> documents);

/// An ignore without a reason answers nothing.
bool answers(const Ignore& ignore, const domain::Finding& finding);

}  // namespace gpushape::review
