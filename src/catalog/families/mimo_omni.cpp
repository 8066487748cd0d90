// What MiMo-V2.5 sees and hears with beside its decoder, whose sizes stand flat in the same config.
// Its encoder of images has fewer heads for keys than for queries, sinks in the blocks that look
// through a window, and no biases behind them; sound comes as codes, whose embeddings a few layers
// of Qwen2 turn into tokens. Sources: vLLM 0.23 model_executor/models/mimo_v2_omni.py and
// mimo_audio.py.
#include <algorithm>
#include <charconv>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kCodes{.least = 1, .most = 1'000};

/// Patches of the largest picture; 0 where the config does not limit its pixels.
std::int64_t largest_picture(const Fields& root, std::int64_t patch) {
  auto reader = root.mapping("processor_config");
  if (!reader) return 0;
  return Fields(*reader)
             .integer("image_max_pixels", {.least = 1, .most = 1'000'000'000})
             .value_or(0) /
         (patch * patch);
}

void add_mimo_vision(const ConfigParts& parts, const Fields& vision) {
  domain::Tower tower;
  tower.hidden_size = vision.integer("hidden_size", kHiddenSize).value_or(1280);
  tower.layers = vision.integer("depth", kLayers).value_or(28);
  tower.heads = vision.integer("num_heads", kHeads).value_or(32);
  tower.width = vision.integer("intermediate_size", kWidth).value_or(4608);
  tower.gated = true;
  const std::int64_t kv_heads = vision.integer("num_key_value_heads", kHeads).value_or(8);
  const std::int64_t key_dim = vision.integer("qk_channels", kHeadDim).value_or(64);
  const std::int64_t value_dim = vision.integer("kv_channels", kHeadDim).value_or(64);
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(16);
  const std::int64_t frames = vision.integer("temporal_patch_size", kMergeEdge).value_or(2);
  const std::int64_t edge = vision.integer("spatial_merge_size", kMergeEdge).value_or(2);
  const std::int64_t out = vision.integer("out_hidden_size", kHiddenSize).value_or(2048);
  const document::Node* whole = vision.node("fullatt_block_indexes");
  const std::int64_t whole_blocks =
      whole == nullptr ? 4
                       : std::min(static_cast<std::int64_t>(whole->items().size()), tower.layers);
  const bool has_sinks = vision.boolean("use_sink").value_or(false);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t queries = tower.heads * key_dim;
  const std::int64_t pairs = kv_heads * (key_dim + value_dim);
  const std::int64_t block =
      linear_values(hidden, queries + pairs) + linear_values(tower.heads * value_dim, hidden) +
      2 * linear_values(hidden, tower.width) + linear_values(tower.width, hidden) + 2 * hidden;
  const std::int64_t merged = edge * edge * hidden;
  tower.parameters = kColours * frames * patch * patch * hidden + tower.layers * block +
                     (has_sinks ? (tower.layers - whole_blocks) * tower.heads : 0) + hidden +
                     merged * merged + merged * out;
  tower.inner_tokens = largest_picture(parts.root(), patch);
  tower.output_tokens = tower.inner_tokens / (edge * edge);
  tower.input_values = tower.inner_tokens * kColours * frames * patch * patch;
  add_tower(parts, tower);
}

/// Rows of the embeddings of all channels: "1025-1025-129", or one number for each of them.
std::int64_t code_rows(const Fields& audio, std::int64_t channels) {
  const std::string text = audio.text("speech_vocab_size").value_or("");
  std::int64_t rows = 0;
  std::int64_t listed = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    constexpr std::int64_t kMost = 10'000'000;
    if (error != std::errc() || number < 1 || number > kMost) break;
    if (listed < channels) rows += number;
    ++listed;
    at = behind < end ? behind + 1 : end;
  }
  if (listed == 1) return channels * rows;
  if (listed >= channels) return rows;
  audio.complain("speech_vocab_size",
                 "speech_vocab_size names no number for each channel of codes");
  return 1;
}

void add_mimo_audio(const ConfigParts& parts, const Fields& audio) {
  domain::Tower tower;
  tower.kind = domain::TowerKind::Audio;
  tower.hidden_size = audio.integer("input_local_dim", kHiddenSize).value_or(1024);
  tower.layers = audio.integer("input_local_layers", kLayers).value_or(6);
  tower.heads = audio.integer("input_local_attn_heads", kHeads).value_or(64);
  tower.width = audio.integer("input_local_intermediate_size", kWidth).value_or(4096);
  tower.gated = true;
  const std::int64_t channels = audio.integer("audio_channels", kCodes).value_or(8);
  const std::int64_t group = audio.integer("group_size", kCodes).value_or(4);
  const std::int64_t out = audio.integer("out_hidden_size", kHiddenSize).value_or(4096);
  const std::int64_t matrices = audio.integer("projection_layers", kMergeEdge).value_or(1);
  const std::int64_t hidden = tower.hidden_size;
  // Queries, keys and values have a bias, what is behind them none.
  const std::int64_t block = values_of_plain_gated(hidden, tower.width) + 3 * hidden;
  const std::int64_t in = group * hidden;
  constexpr std::int64_t kWider = 4;
  const std::int64_t projection = matrices == 2 ? kWider * in * (in + out) : in * out;
  tower.parameters = code_rows(audio, channels) * hidden + tower.layers * block +
                     (audio.boolean("add_post_norm").value_or(false) ? hidden : 0) + projection;
  constexpr std::int64_t kCodesOf30Seconds = 750;
  constexpr std::int64_t kBins = 128;
  constexpr std::int64_t kFrames = 3000;
  tower.inner_tokens = kCodesOf30Seconds;
  tower.output_tokens = (kCodesOf30Seconds + group - 1) / group;
  tower.input_values = kBins * kFrames;
  // Qwen2Model is made with the table of words of its class, which nobody asks.
  constexpr std::int64_t kQwen2Words = 151'936;
  tower.table_values = kQwen2Words * hidden;
  parts.model().towers.push_back(tower);
  parts.model().notes.emplace_back(
      "what makes codes of sound is not counted: its config lies in a folder of its own "
      "(audio_tokenizer)");
}

}  // namespace

void add_mimo_omni(ConfigParts& parts) {
  auto vision = parts.root().mapping("vision_config");
  if (!vision) return;
  add_mimo_vision(parts, Fields(*vision));
  if (auto audio = parts.root().mapping("audio_config")) add_mimo_audio(parts, Fields(*audio));
  if (parts.model().role == domain::Role::Llm) parts.model().role = domain::Role::Vision;
}

}  // namespace gpushape::catalog
