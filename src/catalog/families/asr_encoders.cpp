// Encoders of sound beside a decoder whose sizes stand flat in the config: Fun-ASR's and
// FireRedASR2's. Sources: vLLM 0.23 model_executor/models/funasr.py, fireredasr2.py and
// conformer_encoder.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kBlocks{.least = 0, .most = 10'000};

/// A block of SenseVoice: attention with a memory of a few frames, channel by channel.
std::int64_t sense_voice_block(std::int64_t in, std::int64_t hidden, std::int64_t width,
                               std::int64_t kernel) {
  return 2 * in + 2 * hidden + linear_values(in, 3 * hidden) + linear_values(hidden, hidden) +
         kernel * hidden + linear_values(hidden, width) + linear_values(width, hidden);
}

/// Fun-ASR's adaptor, whose sizes its class gives: two matrices and two blocks.
std::int64_t fun_adaptor_values() {
  constexpr std::int64_t kIn = 512;
  constexpr std::int64_t kWide = 2048;
  constexpr std::int64_t kOut = 1024;
  constexpr std::int64_t kLayers = 2;
  return linear_values(kIn, kWide) + linear_values(kWide, kOut) +
         kLayers * values_of({.hidden = kOut, .width = kOut / 4, .norm_values = 4 * kOut});
}

/// A block of FireRedASR's conformer: three norms before queries, keys and values, and no biases
/// but those of its networks.
std::int64_t fire_red_block(std::int64_t hidden, std::int64_t kernel) {
  constexpr std::int64_t kWider = 4;
  const std::int64_t network =
      2 * hidden + linear_values(hidden, kWider * hidden) + linear_values(kWider * hidden, hidden);
  const std::int64_t attention = 6 * hidden + 5 * hidden * hidden + 2 * hidden;
  const std::int64_t convolution = 2 * hidden + kWider * hidden * hidden + 2 * hidden * kernel +
                                   4 * hidden + 2 * hidden * hidden;
  return 2 * network + attention + convolution + 2 * hidden;
}

}  // namespace

void add_fun_asr(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_encoder_conf");
  if (!reader) return;
  const Fields audio(*reader);
  domain::Tower tower;
  tower.kind = domain::TowerKind::Audio;
  tower.hidden_size = audio.integer("output_size", kHiddenSize).value_or(256);
  tower.width = audio.integer("linear_units", kWidth).value_or(2048);
  tower.heads = audio.integer("attention_heads", kHeads).value_or(4);
  tower.layers = audio.integer("num_blocks", kLayers).value_or(6) +
                 audio.integer("tp_blocks", kBlocks).value_or(0);
  const std::int64_t kernel = audio.integer("kernel_size", kWidth).value_or(11);
  const std::int64_t hidden = tower.hidden_size;
  constexpr std::int64_t kIn = 560;  // seven frames of eighty values
  tower.parameters = sense_voice_block(kIn, hidden, tower.width, kernel) +
                     (tower.layers - 1) * sense_voice_block(hidden, hidden, tower.width, kernel) +
                     4 * hidden + fun_adaptor_values();
  constexpr std::int64_t kFrames = 500;  // of 30 seconds, six steps of 10 ms each
  tower.inner_tokens = kFrames;
  tower.output_tokens = kFrames;
  tower.input_values = kIn * kFrames;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

void add_fire_red(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_encoder_conf");
  if (!reader) return;
  const Fields audio(*reader);
  domain::Tower tower;
  tower.kind = domain::TowerKind::Audio;
  tower.hidden_size = audio.required_integer("d_model", kHiddenSize);
  tower.layers = audio.required_integer("n_layers_enc", kLayers);
  tower.heads = audio.required_integer("n_head", kHeads);
  tower.width = 4 * tower.hidden_size;
  const std::int64_t bins = audio.required_integer("idim", kHiddenSize);
  const std::int64_t kernel = audio.integer("kernel_size", kWidth).value_or(33);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t joined =
      parts.root().integer("encoder_downsample_rate", {.least = 1, .most = 1'000}).value_or(2);
  constexpr std::int64_t kChannels = 32;
  constexpr std::int64_t kArea = 9;
  const std::int64_t pitches = ((bins - 1) / 2 - 1) / 2;
  tower.parameters = linear_values(kArea, kChannels) + linear_values(kArea * kChannels, kChannels) +
                     linear_values(kChannels * pitches, hidden) +
                     tower.layers * fire_red_block(hidden, kernel) +
                     linear_values(joined * hidden, out) + linear_values(out, out);
  constexpr std::int64_t kFrames = 3000;  // of 30 seconds
  constexpr std::int64_t kHalvedTwice = 4;
  tower.inner_tokens = kFrames / kHalvedTwice;
  tower.output_tokens = tower.inner_tokens / joined;
  tower.input_values = bins * kFrames;
  const std::int64_t farthest = audio.integer("pe_maxlen", kContextTokens).value_or(5000);
  tower.table_values = (2 * farthest - 1) * hidden;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
