// A document that stands as text inside another one: the entries of a ConfigMap.
#pragma once

#include <memory>
#include <vector>

#include "document/node.hpp"

namespace gpushape::review {

/// The documents of a scalar's text, their nodes at the lines and columns of the file. Nothing
/// where the text is no YAML, or where its places cannot be told (a folded scalar).
std::vector<std::shared_ptr<const document::Document>> read_embedded(
    const document::Document& document, const document::Node& scalar);

}  // namespace gpushape::review
