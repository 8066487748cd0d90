// Text that is taken for YAML, read piece by piece: the documents of one file share its limits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/text_format.hpp"

namespace gpushape::document {

// What aliases may add to a file's own text: ours, far above what manifests with anchors need, and
// small beside what an expansion of aliases of aliases asks for.
inline constexpr std::size_t kMostExpandedBytes = 32U << 20U;

/// Whether a line is the marker "---" that a document begins with.
bool begins_document(std::string_view line);

/// What all documents of a file take together of its limits.
struct Spent {
  std::size_t nodes = 0;
  std::size_t expanded_bytes = 0;
};

/// A text that is UTF-8 and not too long for YAML.
Result<std::shared_ptr<const Source>> accept_yaml(std::string_view text, std::string file,
                                                  const Limits& limits);

/// Its documents. `spent` grows by what this text takes, broken or not.
Result<std::vector<Document>> read_accepted(const std::shared_ptr<const Source>& source,
                                            const Limits& limits, Spent& spent);

}  // namespace gpushape::document
