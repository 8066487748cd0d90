// How long a context a decoder was trained with, and the tables that it rotates positions by.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/rope_scaling.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

// Ours: what most models of 2024 and later serve at least.
constexpr std::int64_t kAssumedContext = 8'192;

// Gemma's local layers and others rotate with a base of their own, which is a table of its own; no
// scaling stretches it.
void read_local_rope(const ConfigParts& parts, std::int64_t trained) {
  domain::Model& model = parts.model();
  if (!model.further_ropes.empty()) return;
  const std::string_view field =
      parts.fields().first_given({"rope_local_base_freq", "rope_local_theta", "swa_rope_theta"});
  double theta = parts.traits().local_rope_theta;
  if (!field.empty()) theta = parts.fields().number(field, kRopeTheta).value_or(theta);
  if (theta == 0 || (theta == model.rope.theta && model.rope.scaling.empty())) return;
  domain::Rope local;
  local.theta = theta;
  local.positions = trained;
  model.further_ropes.push_back(local);
}

// Where a config names several lengths, engines serve the shortest; Cohere's model_max_length
// stands above its max_position_embeddings and wins (vLLM, config/model.py).
void limit_context(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  if (parts.fields().given("seq_length")) {
    const auto shorter = parts.fields().integer("seq_length", kContextTokens);
    model.max_context_tokens = std::min(model.max_context_tokens, shorter.value_or(1));
  }
  if (const auto served = parts.fields().integer("model_max_length", kContextTokens))
    model.max_context_tokens = *served;
}

// No size of a model that rotates its positions depends on how many it was trained with.
std::int64_t longest_context(const ConfigParts& parts, Positions positions) {
  const Traits& traits = parts.traits();
  const std::int64_t otherwise = traits.context > 0 ? traits.context : traits.sizes.context;
  const auto said =
      parts.size_if({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                     "max_sequence_length", "n_ctx", "context_length", "model_max_length"},
                    "contextTokens", kContextTokens);
  if (said) return *said;
  if (otherwise > 0) {
    parts.from_family("contextTokens");
    return otherwise;
  }
  if (positions == Positions::Stored)
    return parts.size({"max_position_embeddings"}, "contextTokens", kContextTokens);
  parts.from("contextTokens", "assumed: config.json names none");
  parts.model().notes.push_back(
      fmt::format("the config names no max_position_embeddings: {} tokens are assumed, weights and "
                  "KV bytes per token do not depend on it",
                  kAssumedContext));
  return kAssumedContext;
}

void read_scaling(const ConfigParts& parts, Reader& reader, std::int64_t trained) {
  domain::Model& model = parts.model();
  const Fields fields(reader);
  const std::optional<Reader> global = fields.mapping("full_attention");
  if (!global) {
    read_rope_scaling(reader, trained, model);
    return;
  }
  // One mapping for each kind of layer; the first is the model's rope.
  const std::int64_t context = model.max_context_tokens;
  if (std::optional<Reader> local = fields.mapping("sliding_attention")) {
    domain::Model other;
    other.max_context_tokens = context;
    other.rope = model.rope;
    read_rope_scaling(*local, trained, other);
    model.further_ropes.push_back(other.rope);
  }
  Reader full = *global;
  read_rope_scaling(full, trained, model);
  model.max_context_tokens = context;
}

}  // namespace

void read_context(const ConfigParts& parts, Positions positions) {
  domain::Model& model = parts.model();
  const std::int64_t trained = longest_context(parts, positions);
  model.max_context_tokens = trained;
  model.rope.positions = trained;
  const std::string_view theta_field =
      parts.fields().first_given({"rope_theta", "rotary_emb_base", "rope_embedding_base"});
  if (!theta_field.empty()) {
    if (const auto theta = parts.fields().number(theta_field, kRopeTheta))
      model.rope.theta = *theta;
  }
  const std::string_view scaling = parts.fields().first_given({"rope_parameters", "rope_scaling"});
  if (!scaling.empty()) {
    if (std::optional<Reader> reader = parts.fields().mapping(scaling))
      read_scaling(parts, *reader, trained);
    if (parts.traits().keeps_context) model.max_context_tokens = trained;
  }
  if (model.rope.theta > 0) {
    parts.from_config("rope");
  } else {
    model.rope.theta = parts.traits().rope_theta;
    parts.from_family("rope");
  }
  limit_context(parts);
  read_local_rope(parts, trained);
}

}  // namespace gpushape::catalog
