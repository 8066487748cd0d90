// Fields of a model's parts beside its layers, for reading and for writing: rope, towers, weights.
#pragma once

#include "catalog/entry_fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

inline constexpr std::int64_t kMostTowerParameters = 1'000'000'000'000;

template <class Fields>
void visit_rope(Fields& fields) {
  fields.number("theta", &domain::Rope::theta, kRopeTheta);
  fields.integer("rotaryDim", &domain::Rope::rotary_dim, up_to(kHeadDim));
  fields.text("scaling", &domain::Rope::scaling);
  fields.number("factor", &domain::Rope::factor, kRopeFactor);
  fields.integer("originalContextTokens", &domain::Rope::original_max_positions,
                 up_to(kContextTokens));
  fields.integer("positions", &domain::Rope::positions, up_to(kContextTokens));
  fields.boolean("sections", &domain::Rope::has_sections);
}

template <class Fields>
void visit_tower(Fields& fields) {
  using domain::Tower;
  fields.choice("kind", &Tower::kind);
  fields.integer("hiddenSize", &Tower::hidden_size, up_to(kHiddenSize));
  fields.integer("layers", &Tower::layers, up_to(kLayers));
  fields.integer("heads", &Tower::heads, up_to(kHeads));
  fields.integer("width", &Tower::width, up_to(kWidth));
  fields.boolean("gated", &Tower::gated);
  fields.boolean("rotatesCopies", &Tower::rotates_copies);
  fields.boolean("rotatesJoined", &Tower::rotates_joined);
  fields.integer("parameters", &Tower::parameters, {.least = 0, .most = kMostTowerParameters});
  fields.integer("unusedLayers", &Tower::unused_layers, up_to(kLayers));
  fields.integer("innerTokens", &Tower::inner_tokens, up_to(kContextTokens));
  fields.integer("outputTokens", &Tower::output_tokens, up_to(kContextTokens));
  fields.integer("inputValues", &Tower::input_values, {.least = 0, .most = kMostTowerParameters});
  fields.integer("tableValues", &Tower::table_values, {.least = 0, .most = kMostTowerParameters});
  fields.integer("chunkTokenBytes", &Tower::chunk_token_bytes,
                 {.least = 0, .most = kMostTowerParameters});
  fields.integer("fedLayers", &Tower::fed_layers, up_to(kLayers));
  fields.boolean("besideTotal", &Tower::is_beside_total);
}

/// Sizes and switches of the model itself.
template <class Fields>
void visit_model(Fields& fields) {
  using domain::Model;
  fields.choice("role", &Model::role);
  fields.integer("hiddenSize", &Model::hidden_size, kHiddenSize);
  fields.integer("vocabulary", &Model::vocabulary, up_to(kVocabulary));
  fields.integer("embeddingWidth", &Model::embedding_width, up_to(kHiddenSize));
  fields.integer("contextTokens", &Model::max_context_tokens, up_to(kContextTokens));
  fields.boolean("tiedEmbeddings", &Model::tied_embeddings);
  fields.boolean("head", &Model::has_head);
  fields.boolean("finalNorm", &Model::has_final_norm);
  fields.boolean("finalNormBias", &Model::final_norm_bias);
  fields.boolean("wholeItems", &Model::has_whole_items);
  fields.tensors("modelTensors", &Model::extra);
  fields.integer("poolingValues", &Model::pooling_values,
                 {.least = 0, .most = kMostTowerParameters});
}

/// The rope of a model that says nothing else: one row a position, each whole head rotated.
inline domain::Rope plain_rope(const domain::Model& model) {
  domain::Rope rope;
  rope.positions = model.max_context_tokens;
  if (!model.layers.empty()) rope.rotary_dim = model.layers.front().layer.attention.head_dim;
  return rope;
}

}  // namespace gpushape::catalog
