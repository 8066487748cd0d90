// The fields of a shape, wherever one stands: in the ranked shapes of an advice, as the shape or an
// alternative of a contract.
#pragma once

#include "document/node.hpp"
#include "document/reader.hpp"
#include "domain/shape.hpp"

namespace gpushape::schema {

document::Node to_node(const domain::Parallelism& parallelism);
document::Node to_node(const domain::Shape& shape);
/// Appends the fields of `shape` to a mapping.
void set_shape(document::Node& node, const domain::Shape& shape);

domain::Parallelism read_parallelism(document::Reader& reader);
/// Takes a shape's fields from a mapping that holds nothing else.
domain::Shape read_shape(document::Reader& reader);

}  // namespace gpushape::schema
