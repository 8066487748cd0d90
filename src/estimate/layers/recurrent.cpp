// Recurrent mixers: a state of fixed size for each sequence. The convolution keeps the inputs of
// its kernel but the last, in the model's dtype (and with the delta rule and Mamba-2 one more for
// each drafted token); the recurrence keeps its matrix in `state_bits`. Ranks share the heads; B
// and C of Mamba-2 belong to groups, of which each rank holds at least one.
//
// A request holds one state, and one more for each drafted token that may be taken back; where
// states of prefixes are kept, the one at the last edge of a block as well, or, of Mamba and
// Mamba-2, those at all edges (mamba_cache_mode all). Source: vLLM
// model_executor/layers/mamba/mamba_utils.py (MambaStateShapeCalculator), v1/kv_cache_interface.py
// (MambaSpec).
#include "estimate/division.hpp"
#include "estimate/layers.hpp"

namespace gpushape::estimate::layers {
namespace {

using domain::Recurrent;
using domain::RecurrentKind;

constexpr std::int64_t kBitsPerByte = 8;
/// The mixer and the network behind it each keep the input before (modeling_rwkv5.py, state[0] and
/// state[2]).
constexpr std::int64_t kRwkvShifts = 2;

/// Values of one convolution's and of one recurrence's state on a rank.
struct StateValues {
  std::int64_t convolution = 0;
  std::int64_t recurrence = 0;
};

std::int64_t kept_inputs(const Recurrent& recurrent, std::int64_t drafts) {
  return recurrent.convolution > 0 ? recurrent.convolution - 1 + drafts : 0;
}

StateValues values_of(const Recurrent& recurrent, const CacheGeometry& geometry) {
  const std::int64_t ranks = geometry.tensor_parallel;
  const std::int64_t keys = recurrent.key_heads * recurrent.key_dim;
  const std::int64_t values = recurrent.value_heads * recurrent.value_dim;
  switch (recurrent.kind) {
    case RecurrentKind::GatedDelta:
      return {.convolution = divide_up(2 * keys + values, ranks) *
                             kept_inputs(recurrent, geometry.draft_tokens),
              .recurrence = divide_up(recurrent.value_heads, ranks) * recurrent.value_dim *
                            recurrent.key_dim};
    case RecurrentKind::Kda:
      return {.convolution = divide_up(2 * keys + values, ranks) * kept_inputs(recurrent, 0),
              .recurrence = divide_up(recurrent.value_heads, ranks) * recurrent.value_dim *
                            recurrent.value_dim};
    case RecurrentKind::Mamba:
      return {.convolution = divide_up(recurrent.inner, ranks) * kept_inputs(recurrent, 0),
              .recurrence = divide_up(recurrent.inner, ranks) * recurrent.state};
    case RecurrentKind::Mamba2: {
      const std::int64_t groups = recurrent.groups % ranks == 0 ? recurrent.groups : ranks;
      return {.convolution = divide_up(values + 2 * groups * recurrent.state, ranks) *
                             kept_inputs(recurrent, geometry.draft_tokens),
              .recurrence =
                  divide_up(recurrent.value_heads, ranks) * recurrent.value_dim * recurrent.state};
    }
    case RecurrentKind::Lightning:
      return {.recurrence = divide_up(recurrent.value_heads, ranks) * recurrent.value_dim *
                            recurrent.value_dim};
    case RecurrentKind::Rwkv:
      return {.convolution = kRwkvShifts * divide_up(recurrent.inner, ranks),
              .recurrence = divide_up(recurrent.value_heads, ranks) * recurrent.value_dim *
                            recurrent.value_dim};
    case RecurrentKind::ShortConv:
      return {.convolution = divide_up(recurrent.inner, ranks) * kept_inputs(recurrent, 0)};
    case RecurrentKind::Griffin:
      return {.convolution = divide_up(recurrent.inner, ranks) * kept_inputs(recurrent, 0),
              .recurrence = divide_up(recurrent.inner, ranks)};
  }
  return {};
}

std::int64_t held_states(const CacheSpec& /*spec*/, const CacheGeometry& geometry,
                         std::int64_t /*tokens*/) {
  return (geometry.keeps_states_of_prefixes ? 2 : 1) + geometry.draft_tokens;
}

std::int64_t held_states_of_blocks(const CacheSpec& /*spec*/, const CacheGeometry& geometry,
                                   std::int64_t tokens) {
  return divide_up(tokens, geometry.block_tokens);
}

}  // namespace

bool keeps_state_of_every_block(const Recurrent& recurrent, const CacheGeometry& geometry) {
  return geometry.keeps_state_of_every_block &&
         (recurrent.kind == RecurrentKind::Mamba || recurrent.kind == RecurrentKind::Mamba2);
}

std::int64_t chunk_tokens(const Recurrent& recurrent) {
  constexpr std::int64_t kOfMamba = 2048;  // vLLM config/model.py, get_mamba_chunk_size
  return recurrent.kind == RecurrentKind::Mamba ? kOfMamba : recurrent.chunk;
}

std::int64_t state_bytes(const Recurrent& recurrent, const CacheGeometry& geometry) {
  const StateValues values = values_of(recurrent, geometry);
  return values.convolution * geometry.dtype_bytes +
         values.recurrence * recurrent.state_bits / kBitsPerByte;
}

void keep_state(const domain::Layer& layer, const domain::Attention& /*attention*/,
                const CacheGeometry& geometry, std::vector<CacheSpec>& specs) {
  if (geometry.is_one_table) return;
  if (layer.recurrent) {
    const bool is_of_blocks = keeps_state_of_every_block(*layer.recurrent, geometry);
    specs.push_back({.held = is_of_blocks ? held_states_of_blocks : held_states,
                     .page_bytes = state_bytes(*layer.recurrent, geometry),
                     .is_state = true});
  }
  if (layer.shifted_values > 0) {
    specs.push_back({.held = held_states,
                     .page_bytes = layer.shifted_values * geometry.dtype_bytes,
                     .is_state = true});
  }
}

}  // namespace gpushape::estimate::layers
