// How an entry says in which form the weights are stored: the facts `dtype` and `quantization`.
#pragma once

#include "catalog/entry_facts.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

void read_weights(EntryFacts& facts, domain::WeightFormat& weights);
void write_weights(document::Node& facts, const domain::WeightFormat& weights);

}  // namespace gpushape::catalog
