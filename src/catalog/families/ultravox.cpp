// Ultravox: Whisper's encoder and a projector before a decoder that is frozen, and mostly another
// checkpoint's (`text_model_id`). Sources: vLLM 0.23 model_executor/models/ultravox.py and
// transformers_utils/configs/ultravox.py.
#include <optional>
#include <utility>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/tower_blocks.hpp"
#include "catalog/families/towers.hpp"
#include "catalog/named_parts.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kStack{.least = 1, .most = 1'000};

/// A norm, a matrix, half of whose outputs gate the others, a matrix; a norm between or behind.
std::int64_t network_values(const Fields& root, std::int64_t in, std::int64_t out) {
  const std::int64_t wide = root.integer("hidden_size", kHiddenSize).value_or(4096);
  const bool gates = root.text("projector_act").value_or("swiglu") == "swiglu";
  const std::int64_t middle = gates ? wide / 2 : wide;
  const bool has_norm_between = root.boolean("projector_ln_mid").value_or(false);
  return in + linear_values(in, wide, false) + linear_values(middle, out, false) +
         (has_norm_between ? middle : out);
}

/// Blocks of the encoder's kind between two matrices, with positions of their own.
std::int64_t blocks_values(const domain::Tower& tower, std::int64_t in, std::int64_t out,
                           std::int64_t blocks) {
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t block =
      values_of({.hidden = hidden, .width = tower.width, .norm_values = 4 * hidden}) - hidden;
  return in + linear_values(in, hidden) + tower.inner_tokens * hidden + blocks * block + hidden +
         linear_values(hidden, out);
}

}  // namespace

void add_ultravox(ConfigParts& parts) {
  const Fields& root = parts.root();
  auto reader = root.mapping("audio_config");
  std::optional<domain::Tower> encoder =
      reader ? whisper_tower(Fields(*reader)) : named_encoder(root);
  if (!encoder) return;
  domain::Tower tower = *std::move(encoder);
  tower.kind = domain::TowerKind::Audio;
  const std::int64_t stacked = root.integer("stack_factor", kStack).value_or(8);
  const std::int64_t in = stacked * tower.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t blocks =
      root.integer("num_projector_layers", {.least = 0, .most = 1'000}).value_or(0);
  tower.parameters +=
      blocks > 0 ? blocks_values(tower, in, out, blocks) : network_values(root, in, out);
  tower.output_tokens = (tower.inner_tokens + stacked - 1) / stacked;
  parts.model().towers.push_back(tower);
  parts.from_config("towers");
}

}  // namespace gpushape::catalog
