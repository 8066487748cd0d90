// EAGLE (arXiv 2401.15077): a draft of one decoder layer, which reads the embedding of a token
// beside the last hidden state that the target model had, and works with the target's embedding and
// head. EAGLE-3 (arXiv 2503.01840): a draft of one decoder layer, which reads the embedding of a
// token beside the hidden states that three layers of the target model had for it, and predicts out
// of a smaller vocabulary. It works with the target's embedding, and with its head where the config
// names no vocabulary of the draft. Sources: vLLM model_executor/models/ llama_eagle3.py, SGLang
// models/llama_eagle3.py, and configs of the speculators library, which nest the layer's in
// `transformer_layer_config`.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "domain/draft_head.hpp"

namespace gpushape::catalog {

void add_eagle(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.family = parts.family().model_type();
  if (model.layers.empty()) return;
  static_cast<void>(parts.root().boolean("bias"));  // of `fc`, which no published head has
  domain::add_eagle(model);
  parts.from_config("layers");
}

void add_eagle3(ConfigParts& parts) {
  domain::Model& model = parts.model();
  model.family = parts.family().model_type();
  if (model.layers.empty()) return;
  const std::int64_t target =
      parts.root().integer("target_hidden_size", kHiddenSize).value_or(model.hidden_size);
  for (const char* field : {"norm_before_residual", "embed_requires_grad"})
    static_cast<void>(parts.root().boolean(field));
  for (const char* field : {"speculators_config", "speculators_model_type", "speculators_version"})
    static_cast<void>(parts.root().given(field));
  domain::add_eagle3(model,
                     {.target_hidden_size = target,
                      .vocabulary = parts.root().integer("draft_vocab_size", kVocabulary),
                      .norms_states = parts.root().boolean("norm_before_fc").value_or(false)});
  parts.from_config("layers");
}

}  // namespace gpushape::catalog
