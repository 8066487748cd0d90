// Encoders of sound beside a decoder. Sources: Qwen2AudioForConditionalGeneration and
// Qwen2_5OmniThinkerForConditionalGeneration of transformers.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

// Positions are computed rather than stored; two further rows mark where sound begins and ends.
domain::Tower qwen2_omni_audio_tower(const Fields& audio, std::int64_t out) {
  domain::Tower tower = whisper_tower(audio);
  tower.kind = domain::TowerKind::Audio;
  tower.parameters +=
      linear_values(tower.hidden_size, out) + 2 * out - tower.inner_tokens * tower.hidden_size;
  tower.output_tokens = tower.inner_tokens / 2;
  return tower;
}

// Qwen3OmniMoeAudioEncoder: three convolutions over time and pitch, each of which halves both, one
// matrix to the blocks' width, two behind them; keys have a bias.
domain::Tower qwen3_audio_tower(const Fields& audio, std::int64_t out) {
  domain::Tower tower = whisper_sizes(audio);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t bins = audio.integer("num_mel_bins", kHiddenSize).value_or(128);
  const std::int64_t channels = audio.integer("downsample_hidden_size", kHiddenSize).value_or(480);
  const std::int64_t hidden = tower.hidden_size;
  constexpr std::int64_t kKernel = 9;  // 3 x 3
  tower.parameters =
      linear_values(kKernel, channels) + 2 * linear_values(kKernel * channels, channels) +
      linear_values(channels * (bins / 8), hidden, false) +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) +
      2 * hidden + linear_values(hidden, hidden) + linear_values(hidden, out);
  tower.inner_tokens = audio.integer("max_source_positions", kContextTokens).value_or(1500);
  tower.output_tokens = tower.inner_tokens / 4;
  tower.input_values = bins * 2 * tower.inner_tokens;
  return tower;
}

}  // namespace

// Audio Flamingo 3 (arXiv 2507.08128): the same with two matrices behind it
// (AudioFlamingo3MultiModalProjector of transformers).
void add_audio_flamingo(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  const Fields audio(*reader);
  constexpr std::int64_t kFlamingoBins = 128;  // AudioFlamingo3EncoderConfig
  domain::Tower tower = whisper_tower(audio, kFlamingoBins);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t out = parts.model().hidden_size;
  const bool has_bias = parts.root().boolean("projector_bias").value_or(true);
  tower.parameters +=
      linear_values(tower.hidden_size, out, has_bias) + linear_values(out, out, has_bias);
  tower.output_tokens = tower.inner_tokens / 2;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

// Whisper's encoder, every second frame of its output, one matrix.
void add_qwen2_audio(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_config");
  if (!reader) return;
  domain::Tower tower = whisper_tower(Fields(*reader));
  tower.kind = domain::TowerKind::Audio;
  tower.parameters += linear_values(tower.hidden_size, parts.model().hidden_size);
  tower.output_tokens = tower.inner_tokens / 2;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

// Engines serve the thinker: its decoder, and encoders of images and sound. Qwen3-ASR has Qwen3-
// Omni's encoder of sound alone (vLLM model_executor/models/qwen3_asr.py).
void add_qwen_omni(ConfigParts& parts) {
  auto thinker = parts.root().mapping("thinker_config");
  if (!thinker) return;
  const Fields fields(*thinker);
  const std::int64_t out = parts.model().hidden_size;
  const bool is_third = parts.family().model_type().starts_with("qwen3");
  if (auto reader = fields.mapping("vision_config")) {
    const Fields vision(*reader);
    parts.model().towers.push_back(is_third ? qwen3_tower(vision, out) : qwen2_tower(vision, out));
    parts.from_config("towers");
  }
  if (auto reader = fields.mapping("audio_config")) {
    const Fields audio(*reader);
    parts.model().towers.push_back(is_third ? qwen3_audio_tower(audio, out)
                                            : qwen2_omni_audio_tower(audio, out));
  }
  // What speaks is served apart, or not at all.
  if (parts.root().given("talker_config"))
    parts.model().notes.emplace_back(
        "talker and token2wav are not counted: engines load the thinker alone");
}

// MiniCPM-o: MiniCPM-V, Whisper's encoder and two matrices behind it. What speaks is not served.
void add_minicpm_omni(ConfigParts& parts) {
  add_minicpm_vision(parts);
  if (auto reader = parts.root().mapping("audio_config")) {
    domain::Tower tower = whisper_tower(Fields(*reader));
    tower.kind = domain::TowerKind::Audio;
    const std::int64_t out = parts.model().hidden_size;
    tower.parameters += linear_values(tower.hidden_size, out) + linear_values(out, out);
    tower.output_tokens = tower.inner_tokens / 2;
    parts.model().towers.push_back(tower);
  }
  parts.model().notes.emplace_back("the speech decoder is not counted: engines do not load it");
}

}  // namespace gpushape::catalog
