#include "review/quantity.hpp"

#include "document/quantity.hpp"

namespace gpushape::review {

std::optional<double> quantity_of(const document::Node& node) {
  if (node.is_number()) return node.number();
  if (node.is(document::Node::Kind::String)) return document::quantity_of(node.text());
  return std::nullopt;
}

}  // namespace gpushape::review
