// MiDashengLM: Dasheng, an encoder of pieces of a spectrogram, and two matrices behind a few of its
// frames side by side. Sources: vLLM 0.23 model_executor/models/midashenglm.py and
// transformers_utils/configs/midashenglm.py.
#include <algorithm>
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kSteps{.least = 1, .most = 10'000};

/// Of pitch and of time: a list of two, or one for both.
struct Edges {
  std::int64_t pitch = 0;
  std::int64_t time = 0;
};
Edges read_edges(const Fields& audio, std::string_view field) {
  constexpr std::int64_t kOtherwise = 16;
  const document::Node* node = audio.node(field);
  if (node == nullptr || !node->is(document::Node::Kind::Sequence)) {
    const std::int64_t both = audio.integer(field, kSteps).value_or(kOtherwise);
    return {.pitch = both, .time = both};
  }
  const std::vector<std::int64_t> both = audio.reader().integers(field, kSteps);
  return both.size() == 2 ? Edges{.pitch = both[0], .time = both[1]}
                          : Edges{.pitch = kOtherwise, .time = kOtherwise};
}

}  // namespace

void add_midasheng(ConfigParts& parts) {
  auto reader = parts.root().mapping("audio_encoder_config");
  if (!reader) return;
  const Fields audio(*reader);
  domain::Tower tower;
  tower.kind = domain::TowerKind::Audio;
  tower.hidden_size = audio.integer("embed_dim", kHiddenSize).value_or(768);
  tower.layers = audio.integer("depth", kLayers).value_or(12);
  tower.heads = audio.integer("num_heads", kHeads).value_or(12);
  const std::int64_t hidden = tower.hidden_size;
  tower.width =
      static_cast<std::int64_t>(static_cast<double>(hidden) *
                                audio.number("mlp_ratio", {.least = 0.1, .most = 100}).value_or(4));
  const std::int64_t bins = audio.integer("n_mels", kHiddenSize).value_or(64);
  const std::int64_t length = audio.integer("target_length", kContextTokens).value_or(1012);
  const std::int64_t channels = audio.integer("input_channels", kSteps).value_or(1);
  const Edges patch = read_edges(audio, "patch_size");
  const Edges stride = read_edges(audio, "patch_stride");
  const std::int64_t pitches = std::max<std::int64_t>(1, bins / stride.pitch);
  const std::int64_t times = std::max<std::int64_t>(1, length / stride.time);
  const bool has_bias = audio.boolean("qkv_bias").value_or(true);
  const bool has_scales = audio.given("init_values");
  const std::int64_t block =
      values_of(
          {.hidden = hidden, .width = tower.width, .norm_values = (has_scales ? 6 : 4) * hidden}) -
      (has_bias ? 0 : 3 * hidden);
  const std::int64_t joined = parts.root().integer("subsample_factor", kSteps).value_or(5);
  const std::int64_t out = parts.model().hidden_size;
  // The norm over a batch is stored with the mean and the variance that it saw.
  tower.parameters = 4 * bins + linear_values(channels * patch.pitch * patch.time, hidden) +
                     (pitches + times) * hidden + tower.layers * block + 2 * hidden +
                     linear_values(joined * hidden, out) + linear_values(out, out);
  // A piece of sound as long as its positions reach.
  tower.inner_tokens = pitches * times;
  tower.output_tokens = tower.inner_tokens / joined;
  tower.input_values = bins * length;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
