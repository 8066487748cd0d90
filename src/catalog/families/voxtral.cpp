// Voxtral (arXiv 2507.13264): Whisper's encoder, four of whose frames side by side become one
// token behind two matrices without biases. Source: VoxtralMultiModalProjector of transformers.
//
// Voxtral Realtime hears while it writes: its encoder looks back through a window and keeps keys
// and values of its own, and each layer of the decoder scales its network by how late it may write.
// Sources: vLLM 0.23 model_executor/models/whisper_causal.py, voxtral_realtime.py, mistral.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kVoxtralBins = 128;  // VoxtralEncoderConfig
constexpr document::IntegerBounds kFramesPerToken{.least = 1, .most = 1'000};

/// The encoder's blocks: gated networks with a bias on the last matrix alone, norms of weights.
domain::Tower causal_whisper(const Fields& audio, std::int64_t head_dim) {
  domain::Tower tower = whisper_tower(audio, kVoxtralBins);
  tower.kind = domain::TowerKind::Audio;
  tower.gated = true;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t inner = tower.heads * head_dim;
  const std::int64_t bins = audio.integer("num_mel_bins", kWidth).value_or(kVoxtralBins);
  const std::int64_t block = values_of({.hidden = hidden,
                                        .width = tower.width,
                                        .inner = inner,
                                        .network_bias = false,
                                        .is_gated = true,
                                        .norm_values = 2 * hidden}) -
                             inner + hidden;  // keys have no bias, the network's end has one
  tower.parameters = linear_values(3 * bins, hidden) + linear_values(3 * hidden, hidden) +
                     tower.layers * block + hidden;
  return tower;
}

/// What the encoder's layers keep, of as many frames as are heard while a token is written.
domain::Layer cache_of(const domain::Tower& tower, std::int64_t head_dim, std::int64_t window,
                       std::int64_t frames) {
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention.kind = domain::LayerKind::Sliding;
  attention.heads = frames * tower.heads;
  attention.kv_heads = attention.heads;
  attention.head_dim = head_dim;
  attention.value_head_dim = head_dim;
  attention.window_tokens = window;
  attention.borrows_weights = true;  // they are the tower's
  layer.norms = 0;
  return layer;
}

}  // namespace

void add_voxtral(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  domain::Tower tower = whisper_tower(Fields(*reader), kVoxtralBins);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t out = parts.model().hidden_size;
  // The projector takes as many values as the encoder's network is wide: those of four frames.
  tower.parameters += linear_values(tower.width, out, false) + linear_values(out, out, false);
  tower.output_tokens = tower.inner_tokens * tower.hidden_size / tower.width;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

void read_voxtral_realtime(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t width = parts.size_or({"ada_rms_norm_t_cond_dim"}, "", kWidth, 32);
  layer.extra.push_back({.name = "ada_rms_norm_t_cond.0", .rows = width, .columns = hidden});
  layer.extra.push_back({.name = "ada_rms_norm_t_cond.2", .rows = hidden, .columns = width});
  for (domain::ExtraTensor& tensor : layer.extra) tensor.is_dealt_out = true;
  add_sliding_layers(parts, layer);
}

void add_voxtral_realtime(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  const Fields audio(*reader);
  const std::int64_t head_dim = audio.integer("head_dim", kHeadDim).value_or(64);
  const std::int64_t window = audio.integer("sliding_window", kContextTokens).value_or(750);
  const std::int64_t frames =
      parts.root().integer("downsample_factor", kFramesPerToken).value_or(4);
  domain::Tower tower = causal_whisper(audio, head_dim);
  const std::int64_t out = parts.model().hidden_size;
  tower.parameters +=
      linear_values(frames * tower.hidden_size, out, false) + linear_values(out, out, false);
  tower.output_tokens = tower.inner_tokens / frames;
  // Rotations of each frame of the longest context (vLLM transformers_utils/configs/mistral.py).
  tower.table_values = frames * parts.model().max_context_tokens * head_dim;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
  parts.model().layers.push_back({cache_of(tower, head_dim, window, frames), tower.layers});
  parts.model().notes.emplace_back(
      "the last layers stand for the caches of the encoder of sound, whose weights are the "
      "tower's");
}

}  // namespace gpushape::catalog
