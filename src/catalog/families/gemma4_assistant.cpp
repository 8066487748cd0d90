// Gemma 4's drafter: a few narrow layers of Gemma 4 that attend to the cache of the large model,
// and have neither keys nor values of their own. Source: Gemma4AssistantConfig and
// modeling_gemma4_assistant.py of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"

namespace gpushape::catalog {
namespace {

domain::ExtraTensor dealt_out(const char* name, std::int64_t rows, std::int64_t columns) {
  return {.name = name, .rows = rows, .columns = columns, .is_linear = true, .is_dealt_out = true};
}

// What is left of an attention whose keys and values are another model's.
void keep_queries(domain::Layer& layer, std::int64_t hidden) {
  const std::int64_t inner = layer.attention.heads * layer.attention.head_dim;
  layer.extra.push_back(dealt_out("self_attn.q_proj", inner, hidden));
  layer.extra.push_back(dealt_out("self_attn.o_proj", hidden, inner));
  layer.extra.push_back({.name = "self_attn.q_norm", .rows = layer.attention.head_dim});
  layer.attention = {};
  layer.attention.kind = domain::LayerKind::None;
}

}  // namespace

void add_gemma4_assistant(ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t large = parts.root().required_integer("backbone_hidden_size", kHiddenSize);
  for (const domain::LayerRun& run : model.layers) {
    if (run.layer.attention.shares_cache) continue;
    parts.fields().complain("num_kv_shared_layers",
                            "an assistant with keys and values of its own is not understood");
    return;
  }
  for (domain::LayerRun& run : model.layers) keep_queries(run.layer, hidden);
  model.extra.push_back(
      {.name = "pre_projection", .rows = hidden, .columns = 2 * large, .is_linear = true});
  model.extra.push_back(
      {.name = "post_projection", .rows = large, .columns = hidden, .is_linear = true});
  // Its head scores the words of the best groups alone.
  if (parts.root().boolean("use_ordered_embeddings").value_or(false))
    model.extra.push_back(
        {.name = "masked_embedding.centroids",
         .rows = parts.root().integer("num_centroids", kVocabulary).value_or(2048),
         .columns = hidden,
         .is_linear = true});
}

}  // namespace gpushape::catalog
