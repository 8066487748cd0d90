// The field `placement` of a Workload and of a ResourceContract, both ways.
#pragma once

#include "document/node.hpp"
#include "document/reader.hpp"
#include "domain/placement_terms.hpp"

namespace gpushape::schema {

document::Node terms_node(const domain::PlacementTerms& terms);

/// Complains of addresses that are none; whether they suit a shape is the caller's to say, before
/// it finishes the reader.
domain::PlacementTerms read_terms(document::Reader& reader);

}  // namespace gpushape::schema
