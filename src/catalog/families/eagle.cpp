// EAGLE-3 (arXiv 2503.01840): a draft of one decoder layer, which reads the embedding of a token
// beside the hidden states that three layers of the target model had for it, and predicts out of a
// smaller vocabulary. It works with the target's embedding, and with its head where the
// config names no vocabulary of the draft. Sources: vLLM model_executor/models/
// llama_eagle3.py, SGLang models/llama_eagle3.py, and configs of the speculators library, which
// nest the layer's in `transformer_layer_config`.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kTargetLayers = 3;  // whose hidden states the draft reads

}  // namespace

void add_eagle3(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.family = parts.family().model_type();
  if (model.layers.empty()) return;
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t target =
      parts.root().integer("target_hidden_size", kHiddenSize).value_or(hidden);
  for (const char* field : {"norm_before_residual", "embed_requires_grad"})
    static_cast<void>(parts.root().boolean(field));
  for (const char* field : {"speculators_config", "speculators_model_type", "speculators_version"})
    static_cast<void>(parts.root().given(field));
  model.has_head = false;  // that of the whole vocabulary
  domain::Layer& layer = model.layers.front().layer;
  const domain::Attention& attention = layer.attention;
  layer.extra.push_back({.name = "self_attn.qkv_proj.of_embedding",
                         .rows = (attention.heads + 2 * attention.kv_heads) * attention.head_dim,
                         .columns = hidden,
                         .is_linear = true,
                         .is_dealt_out = true});
  layer.extra.push_back({.name = "hidden_norm", .rows = hidden});
  layer.extra.push_back(
      {.name = "fc", .rows = hidden, .columns = kTargetLayers * target, .is_linear = true});
  if (parts.root().boolean("norm_before_fc").value_or(false))
    layer.extra.push_back({.name = "input_norm", .rows = kTargetLayers * target});
  if (const auto drafted = parts.root().integer("draft_vocab_size", kVocabulary)) {
    layer.extra.push_back(
        {.name = "lm_head", .rows = *drafted, .columns = hidden, .is_dealt_out = true});
  }
  parts.from_config("layers");
}

}  // namespace gpushape::catalog
