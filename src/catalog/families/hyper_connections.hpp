// What DeepSeek-V4 shares with those that came after it: streams of the residual that are mixed in
// place of the sum (GLM-5-Next, too), and attention on a window with compressed entries behind it.
#pragma once

#include <cstdint>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// `streams` copies of the residual, mixed before and after each half of a layer (arXiv 2409.19606).
void add_hyper_connections(domain::Layer& layer, std::int64_t streams, std::int64_t hidden_size);

/// Attention on a window, its output in groups; which layers compress is the caller's.
domain::Attention read_compressed(const ConfigParts& parts);
/// The small heads that choose entries.
domain::Indexer read_entry_indexer(const ConfigParts& parts);

}  // namespace gpushape::catalog
