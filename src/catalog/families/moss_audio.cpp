// MOSS-Audio: convolutions over time and pitch and Whisper's blocks, some of whose outputs are fed
// to the decoder's first layers beside the last ones, each through a gated network of its own.
// Source: vLLM 0.23 model_executor/models/moss_audio.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

/// How many blocks feed a layer of the decoder: as the encoder lists, or fewer.
std::int64_t fed_blocks(const Fields& root, const Fields& audio) {
  constexpr std::int64_t kListed = 3;  // MossAudioEncoderConfig
  constexpr std::size_t kMost = 100;
  const document::Node* node = audio.node("deepstack_encoder_layer_indexes");
  const std::int64_t listed =
      node == nullptr ? kListed : static_cast<std::int64_t>(std::min(node->items().size(), kMost));
  const auto fed =
      root.integer("deepstack_num_inject_layers", {.least = 0, .most = 100}).value_or(listed);
  return std::min(listed, fed);
}

}  // namespace

void add_moss_audio(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  const Fields audio(*reader);
  domain::Tower tower = whisper_sizes(audio);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t bins = audio.integer("num_mel_bins", kHiddenSize).value_or(128);
  const std::int64_t channels = audio.integer("downsample_hidden_size", kHiddenSize).value_or(480);
  const std::int64_t given = audio.integer("output_dim", kHiddenSize).value_or(1280);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t width = parts.root().integer("adapter_hidden_size", kWidth).value_or(8192);
  const std::int64_t adapter = 2 * given * width + width * parts.model().hidden_size;
  constexpr std::int64_t kArea = 9;    // of a convolution
  constexpr std::int64_t kHalved = 8;  // three times
  const std::int64_t block =
      values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) - hidden;
  tower.parameters = linear_values(kArea, channels) +
                     2 * linear_values(kArea * channels, channels) +
                     linear_values(channels * ((bins + kHalved - 1) / kHalved), hidden) +
                     tower.layers * block + 2 * hidden + (given == hidden ? 0 : hidden * given) +
                     (1 + fed_blocks(parts.root(), audio)) * adapter;
  constexpr std::int64_t kFrames = 3000;  // of 30 seconds
  tower.inner_tokens = kFrames / kHalved;
  tower.output_tokens = tower.inner_tokens;
  tower.input_values = bins * kFrames;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
