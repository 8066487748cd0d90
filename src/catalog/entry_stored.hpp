// The facts of an entry that came from a header: how much of each part a checkpoint stores in each
// type, for reading and for writing.
#pragma once

#include <vector>

#include "catalog/entry_facts.hpp"
#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

std::vector<domain::StoredPart> read_stored_parts(EntryFacts& facts);
document::Node stored_part_list(const std::vector<domain::StoredPart>& parts);

}  // namespace gpushape::catalog
