// What readers of encoders share: BERT's embeddings and layers, and what stands on them by class.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/families/config_parts.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

inline constexpr document::IntegerBounds kTypes{.least = 0, .most = 1'000};

struct EncoderTraits {
  std::int64_t padding_rows = 0;     ///< positions that no token of a text takes
  bool has_types = true;             ///< an embedding of token types
  bool has_positions = true;         ///< learned ones, where the config says nothing else
  std::int64_t embedding_width = 0;  ///< of tables narrower than the network; 0 for hidden size
};

/// Embeddings with their norm, and equal layers that attend in both directions.
void read_encoder(const ConfigParts& parts, EncoderTraits traits);

/// A head for masked words: a matrix, a norm, and a bias on the embedding that it shares.
void read_masked_head(const ConfigParts& parts, const std::string& prefix);

/// What stands on BERT's encoder by its class: a pooler, a head for masked words, a classifier, a
/// head for the ends of an answer. `always_pools`: the pooler is the encoder's own.
void add_bert_head(const ConfigParts& parts, bool always_pools = false);
/// Likewise on RoBERTa's, whose classifier has a matrix of its own in the pooler's place.
void add_roberta_head(const ConfigParts& parts, bool always_pools = false);
/// Likewise on ELECTRA's, which has no pooler; `width` is that of its embeddings.
void add_electra_head(const ConfigParts& parts, std::int64_t width);

/// One row a label, one for each choice, or two for the ends of an answer; nothing by other
/// classes.
void add_classifier_rows(const ConfigParts& parts);

/// A matrix with a bias.
void add_linear(std::vector<domain::ExtraTensor>& extra, const std::string& name, std::int64_t rows,
                std::int64_t columns);

/// Whether the class's name ends so.
bool is_class(const ConfigParts& parts, std::string_view ending);

}  // namespace gpushape::catalog
