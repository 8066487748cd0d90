// T5Gemma (arXiv 2504.06225): an encoder and a decoder of Gemma 2's layers, each with an embedding
// of its own; the decoder's layers attend to the encoder's output, too. Source: T5GemmaConfig and
// modeling_t5gemma.py of transformers.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr int kGemmaNorms = 4;  // of a layer: before and behind attention and network
// T5GemmaModuleConfig.
constexpr std::int64_t kVocabularyOfClass = 256'000;
constexpr std::int64_t kHeadDimOfClass = 256;

}  // namespace

void read_t5gemma(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_dense(parts);
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  for (domain::LayerRun& run : model.layers) {
    domain::Attention& cross = run.layer.cross_attention.emplace(run.layer.attention);
    cross.kind = domain::LayerKind::Cross;
    cross.window_tokens = 0;
    cross.encoder_tokens = model.max_context_tokens;
    run.layer.norms = kGemmaNorms + 2;
  }
}

void add_t5gemma_encoder(ConfigParts& parts) {
  static_cast<void>(parts.root().given("is_encoder_decoder"));
  auto reader = parts.root().mapping("encoder");
  if (!reader) return;
  const Fields encoder(*reader);
  domain::Tower tower{.kind = domain::TowerKind::Encoder, .gated = true};
  tower.hidden_size = encoder.required_integer("hidden_size", kHiddenSize);
  tower.width = encoder.required_integer("intermediate_size", kWidth);
  tower.layers = encoder.required_integer("num_hidden_layers", kLayers);
  tower.heads = encoder.required_integer("num_attention_heads", kHeads);
  const std::int64_t hidden = tower.hidden_size;
  if (hidden != parts.model().hidden_size) {
    encoder.complain("hidden_size",
                     "an encoder wider or narrower than the decoder is not understood");
    return;
  }
  const std::int64_t head_dim = encoder.integer("head_dim", kHeadDim).value_or(kHeadDimOfClass);
  const std::int64_t kv_heads = encoder.required_integer("num_key_value_heads", kHeads);
  const std::int64_t block = values_of({.hidden = hidden,
                                        .width = tower.width,
                                        .inner = tower.heads * head_dim,
                                        .kv_inner = kv_heads * head_dim,
                                        .attention_bias = false,
                                        .network_bias = false,
                                        .is_gated = true,
                                        .norm_values = kGemmaNorms * hidden});
  const std::int64_t vocabulary =
      encoder.integer("vocab_size", kVocabulary).value_or(kVocabularyOfClass);
  tower.parameters = vocabulary * hidden + tower.layers * block + hidden;
  tower.inner_tokens = parts.model().max_context_tokens;
  tower.output_tokens = tower.inner_tokens;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
