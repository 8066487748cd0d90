// Granite Speech: a conformer of sound, and a Q-Former that makes a few tokens of each window of
// its frames. Sources: vLLM 0.23 model_executor/models/granite_speech.py, granite_speech_plus.py
// and blip2.py (Blip2QFormerModel); GraniteSpeechConfig of transformers.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFactor{.least = 1, .most = 1'000};

/// A layer of a conformer: two networks, attention with a table of distances, a convolution.
struct Conformer {
  std::int64_t hidden = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t distances = 0;
  std::int64_t channels = 0;  ///< of the convolution
  std::int64_t kernel = 0;
};

Conformer read_conformer(const Fields& encoder) {
  Conformer block;
  block.hidden = encoder.integer("hidden_dim", kHiddenSize).value_or(1024);
  block.width = block.hidden * encoder.integer("feedforward_mult", kFactor).value_or(4);
  block.heads = encoder.integer("num_heads", kHeads).value_or(8);
  block.head_dim = encoder.integer("dim_head", kHeadDim).value_or(128);
  block.distances = 2 * encoder.integer("max_pos_emb", kContextTokens).value_or(512) + 1;
  block.channels = block.hidden * encoder.integer("conv_expansion_factor", kFactor).value_or(2);
  block.kernel = encoder.integer("conv_kernel_size", kFactor).value_or(15);
  return block;
}

std::int64_t values_of(const Conformer& block) {
  const std::int64_t hidden = block.hidden;
  const std::int64_t inner = block.heads * block.head_dim;
  const std::int64_t norm = 2 * hidden;
  const std::int64_t network =
      norm + linear_values(hidden, block.width) + linear_values(block.width, hidden);
  const std::int64_t attention = norm + linear_values(hidden, 3 * inner, false) +
                                 linear_values(inner, hidden) + block.distances * block.head_dim;
  // The norm over a batch is stored with the mean and the variance that it saw.
  const std::int64_t convolution = norm + linear_values(hidden, 2 * block.channels) +
                                   block.kernel * block.channels + 4 * block.channels +
                                   linear_values(block.channels, hidden);
  return 2 * network + attention + convolution + norm;
}

QFormer read_qformer(const Fields& projector, std::int64_t frame) {
  QFormer former;
  former.hidden = projector.integer("hidden_size", kHiddenSize).value_or(768);
  former.width = projector.integer("intermediate_size", kWidth).value_or(3072);
  former.layers = projector.integer("num_hidden_layers", kLayers).value_or(12);
  former.every = projector.integer("cross_attention_frequency", kFactor).value_or(2);
  former.seen = projector.integer("encoder_hidden_size", kHiddenSize).value_or(frame);
  return former;
}

}  // namespace

void add_granite_speech(ConfigParts& parts) {
  auto encoder_reader = parts.root().mapping("encoder_config");
  auto projector_reader = parts.root().mapping("projector_config");
  if (!encoder_reader || !projector_reader) return;
  const Fields encoder(*encoder_reader);
  const Fields projector(*projector_reader);
  const Conformer block = read_conformer(encoder);
  domain::Tower tower;
  tower.kind = domain::TowerKind::Audio;
  tower.hidden_size = block.hidden;
  tower.width = block.width;
  tower.heads = block.heads;
  tower.layers = encoder.integer("num_layers", kLayers).value_or(10);
  const std::int64_t in = encoder.integer("input_dim", kHiddenSize).value_or(160);
  const std::int64_t letters = encoder.integer("output_dim", kHiddenSize).value_or(42);
  const std::int64_t window = parts.root().integer("window_size", kFactor).value_or(15);
  const std::int64_t rate = parts.root().integer("downsample_rate", kFactor).value_or(5);
  const std::int64_t queries = std::max<std::int64_t>(1, window / rate);
  const QFormer former = read_qformer(projector, block.hidden);
  tower.parameters = linear_values(in, block.hidden) + tower.layers * values_of(block) +
                     linear_values(block.hidden, letters) + linear_values(letters, block.hidden) +
                     queries * former.hidden + values_of(former) +
                     linear_values(former.hidden, parts.model().hidden_size);
  // The largest sound that vLLM makes ready for: 8,000,000 samples, 320 to a frame.
  constexpr std::int64_t kLargestSamples = 8'000'000;
  constexpr std::int64_t kSamplesPerFrame = 320;
  tower.inner_tokens = kLargestSamples / kSamplesPerFrame;
  tower.output_tokens = (tower.inner_tokens + window - 1) / window * queries;
  tower.input_values = in * tower.inner_tokens;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
  if (parts.root().boolean("has_lora_adapter").value_or(false)) {
    parts.model().notes.emplace_back(
        "the LoRA adapter for sound is not counted: give its rank with --lora");
  }
}

}  // namespace gpushape::catalog
