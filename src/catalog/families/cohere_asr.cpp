// Cohere Transcribe: a conformer of sound as NeMo builds it, and a decoder whose layers attend to
// it, too. Source: vLLM 0.23 model_executor/models/cohere_asr.py.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kAudioFactor{.least = 1, .most = 10'000};
constexpr std::int64_t kFrames = 100;  // of a second of sound

/// Convolutions of three by three that halve time and pitch each, all but the first of them channel
/// by channel with a matrix behind; one matrix to the blocks' width.
std::int64_t subsampling_values(const Fields& encoder, std::int64_t factor, std::int64_t out) {
  const std::int64_t channels =
      encoder.integer("subsampling_conv_channels", kHiddenSize).value_or(256);
  constexpr std::int64_t kArea = 9;
  std::int64_t pitches = encoder.integer("feat_in", kHiddenSize).value_or(128);
  std::int64_t values = 0;
  for (std::int64_t reached = 2; reached <= factor; reached *= 2) {
    const bool is_first = reached == 2;
    values += linear_values(kArea, channels) + (is_first ? 0 : linear_values(channels, channels));
    pitches = (pitches - 1) / 2 + 1;
  }
  return values + linear_values(channels * pitches, out);
}

std::int64_t block_values(const Fields& encoder, std::int64_t hidden, std::int64_t width) {
  const bool bias = encoder.boolean("use_bias").value_or(true);
  const bool has_own_biases = encoder.boolean("untie_biases").value_or(true);
  const std::int64_t kernel = encoder.integer("conv_kernel_size", kAudioFactor).value_or(9);
  constexpr std::int64_t kNorms = 5;
  const std::int64_t network =
      linear_values(hidden, width, bias) + linear_values(width, hidden, bias);
  const std::int64_t attention =
      4 * linear_values(hidden, hidden, bias) + hidden * hidden + (has_own_biases ? 2 * hidden : 0);
  // The norm over a batch is stored with the mean and the variance that it saw.
  const std::int64_t convolution = linear_values(hidden, 2 * hidden, bias) +
                                   linear_values(kernel, hidden) - (bias ? 0 : hidden) +
                                   4 * hidden + linear_values(hidden, hidden, bias);
  return kNorms * 2 * hidden + 2 * network + attention + convolution;
}

domain::Tower read_nemo_conformer(const ConfigParts& parts, const Fields& encoder) {
  domain::Tower tower;
  tower.kind = domain::TowerKind::Encoder;
  tower.hidden_size = encoder.integer("d_model", kHiddenSize).value_or(1280);
  tower.layers = encoder.integer("n_layers", kLayers).value_or(48);
  tower.heads = encoder.integer("n_heads", kHeads).value_or(8);
  const std::int64_t hidden = tower.hidden_size;
  tower.width = hidden * encoder.integer("ff_expansion_factor", kAudioFactor).value_or(4);
  const std::int64_t factor = encoder.integer("subsampling_factor", kAudioFactor).value_or(8);
  const bool shares_biases = !encoder.boolean("untie_biases").value_or(true);
  tower.parameters = subsampling_values(encoder, factor, hidden) +
                     tower.layers * block_values(encoder, hidden, tower.width) +
                     (shares_biases ? 2 * hidden : 0);
  if (hidden != parts.model().hidden_size)
    tower.parameters += linear_values(hidden, parts.model().hidden_size);
  const std::int64_t seconds = parts.root().integer("max_audio_clip_s", kAudioFactor).value_or(35);
  tower.inner_tokens = (kFrames * seconds + factor - 1) / factor;
  tower.output_tokens = tower.inner_tokens;
  tower.input_values = encoder.integer("feat_in", kHiddenSize).value_or(128) * kFrames * seconds;
  const std::int64_t farthest = encoder.integer("pos_emb_max_len", kContextTokens).value_or(5000);
  tower.table_values = (2 * farthest - 1) * hidden;
  return tower;
}

domain::Layer read_nemo_layer(const ConfigParts& parts, const Fields& decoder) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.heads = decoder.required_integer("num_attention_heads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = std::max<std::int64_t>(1, parts.model().hidden_size / attention.heads);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = true;
  attention.output_bias = true;
  layer.cross_attention = attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  layer.feed_forward.width = decoder.required_integer("inner_size", kWidth);
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = true;
  layer.norms = 3;
  layer.norm_bias = true;
  return layer;
}

}  // namespace

void read_cohere_asr(ConfigParts& parts) {
  auto transformer = parts.root().mapping("transf_decoder");
  auto decoder_reader = transformer ? Fields(*transformer).mapping("config_dict") : std::nullopt;
  auto encoder_reader = parts.root().mapping("encoder");
  auto head_reader = parts.root().mapping("head");
  // Later configs say the same a second time, in the words of the class in transformers.
  for (const char* field : {"is_encoder_decoder", "encoder_config"})
    static_cast<void>(parts.root().given(field));
  if (!decoder_reader || !encoder_reader || !head_reader) return;
  const Fields decoder(*decoder_reader);
  // Behind the conformer there may be layers of another kind; the published ones have none.
  if (auto further = parts.root().mapping("transf_encoder")) {
    const Fields layers(*further);
    if (layers.integer("num_layers", {.least = 0, .most = kLayers.most}).value_or(0) > 0)
      layers.complain("num_layers", "layers behind the conformer are not understood");
  }
  domain::Model& model = parts.model();
  model.hidden_size = decoder.required_integer("hidden_size", kHiddenSize);
  model.vocabulary = Fields(*head_reader).required_integer("num_classes", kVocabulary);
  model.max_context_tokens = decoder.required_integer("max_sequence_length", kContextTokens);
  model.tied_embeddings = false;
  model.final_norm_bias = true;
  domain::Layer layer = read_nemo_layer(parts, decoder);
  const domain::Tower tower = read_nemo_conformer(parts, Fields(*encoder_reader));
  layer.cross_attention->encoder_tokens = tower.output_tokens;
  model.layers.push_back({layer, decoder.required_integer("num_layers", kLayers)});
  model.towers.push_back(tower);
  // Fixed, and stored all the same.
  model.extra.push_back({.name = "decoder.position_embeddings",
                         .rows = model.max_context_tokens,
                         .columns = model.hidden_size});
  add_biased_norm(model.extra, "decoder.embedding.layer_norm", model.hidden_size);
  model.extra.push_back({.name = "lm_head.bias", .rows = model.vocabulary});
  for (const char* fact : {"hiddenSize", "vocabulary", "contextTokens", "attentionHeads",
                           "feedForwardWidth", "layers", "towers"})
    parts.from_config(fact);
  for (const char* fact : {"kvHeads", "headDim", "qkvBias", "tiedEmbeddings"})
    parts.from_family(fact);
}

}  // namespace gpushape::catalog
