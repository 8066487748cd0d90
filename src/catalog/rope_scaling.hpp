// The `rope_scaling` or `rope_parameters` of a config.json: how far a rotary embedding was
// stretched beyond what it was trained on.
#pragma once

#include <cstdint>

#include "document/reader.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `scaling` stands on the mapping, `trained` is max_position_embeddings. Sets the model's rope
/// and, where the scaling lengthens it, the longest context.
void read_rope_scaling(document::Reader& scaling, std::int64_t trained, domain::Model& model);

}  // namespace gpushape::catalog
