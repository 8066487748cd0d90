// Fields of a node that is changed in place.
#pragma once

#include <string_view>

#include "document/node.hpp"

namespace gpushape::profiles::node_fields {

/// nullptr where the node is no mapping or has no such field.
document::Node* child(document::Node& node, std::string_view name);
void drop(document::Node& node, std::string_view name);

}  // namespace gpushape::profiles::node_fields
