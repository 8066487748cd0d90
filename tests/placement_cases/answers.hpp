// What the placement core answers to a case, in the form of the case's `expect`.
#pragma once

#include <vector>

#include "document/node.hpp"
#include "place/geometry.hpp"

namespace placement_cases {

/// `expect` is read for the names that are asked for (profiles of a GPU), never for their values.
/// Null for a kind that is not known.
gpushape::document::Node answer(const gpushape::document::Node& one_case,
                                const std::vector<gpushape::place::DeviceGeometry>& devices);

}  // namespace placement_cases
