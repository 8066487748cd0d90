#include "estimate/rank_towers.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "estimate/division.hpp"

namespace gpushape::estimate {
namespace {

/// What ranks share of that which maps an encoder's output to the decoder's space.
struct ProjectorRow {
  std::string_view family;
  /// Of the encoder's hidden size, the decoder's, and what the tower has beside its layers.
  std::int64_t (*values)(std::int64_t hidden, std::int64_t out, std::int64_t rest);
};

/// Four patches to a token; Qwen3-VL has further mergers for the decoder's first layers.
constexpr std::int64_t merger_values(std::int64_t hidden, std::int64_t out, std::int64_t rest) {
  const std::int64_t merged = 4 * hidden;
  const std::int64_t merger = merged * merged + merged * out;
  return rest / merger * merger;
}
constexpr std::int64_t two_matrices(std::int64_t hidden, std::int64_t out, std::int64_t rest) {
  return std::min(rest, hidden * out + out * out);
}
/// All but the convolution that merges four patches to one.
constexpr std::int64_t gated_merger(std::int64_t hidden, std::int64_t out, std::int64_t rest) {
  return std::max<std::int64_t>(0, rest - 4 * hidden * out);
}
constexpr std::int64_t all_of_it(std::int64_t /*hidden*/, std::int64_t /*out*/, std::int64_t rest) {
  return rest;
}

// Column and row parallel in vLLM model_executor/models: qwen2_vl.py, qwen2_5_vl.py, qwen3_vl.py,
// glm4_1v.py (mergers), llava.py, mistral3.py (linear_1, linear_2), mllama4.py. Projectors of other
// families (gemma3_mm.py, internvl.py, idefics3.py, kimi_vl.py, minicpmv.py, phi3v.py) are whole on
// each rank.
constexpr auto kProjectors = std::to_array<ProjectorRow>({
    {"qwen2_vl", merger_values},
    {"qwen2_5_vl", merger_values},
    {"qwen2_5_omni", merger_values},
    {"qwen3_vl", merger_values},
    {"qwen3_vl_moe", merger_values},
    {"qwen3_omni_moe", merger_values},
    {"qwen3_5", merger_values},
    {"qwen3_5_moe", merger_values},
    {"glm4v", gated_merger},
    {"glm4v_moe", gated_merger},
    {"glm_ocr", gated_merger},
    {"llava", two_matrices},
    {"llava_next", two_matrices},
    {"mistral3", two_matrices},
    {"llama4", all_of_it},
});

std::int64_t shared_projector_values(const domain::Tower& tower, const domain::Model& model,
                                     std::int64_t rest) {
  if (tower.kind != domain::TowerKind::Vision) return 0;
  const auto* const row = std::ranges::find(kProjectors, model.family, &ProjectorRow::family);
  return row == kProjectors.end() ? 0 : row->values(tower.hidden_size, model.hidden_size, rest);
}

}  // namespace

bool shares_heads(const domain::Tower& tower, std::int64_t ranks) {
  return tower.heads % ranks == 0;
}

std::int64_t TowerAllocations::bytes() const {
  const auto sum_of = [](const std::vector<std::int64_t>& each) {
    return std::accumulate(each.begin(), each.end(), std::int64_t{0});
  };
  return sum_of(layer) * layers + sum_of(rest);
}

TowerAllocations tower_allocations(const domain::Tower& tower, const domain::Model& model,
                                   const WeightsLayout& layout) {
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t ranks = layout.towers_whole ? 1 : layout.tensor_parallel;
  const std::int64_t attention_ranks = shares_heads(tower, ranks) ? ranks : 1;
  const std::int64_t qkv = 3 * hidden * hidden;
  const std::int64_t up = (tower.gated ? 2 : 1) * hidden * tower.width;
  const std::int64_t of_layer = qkv + hidden * hidden + up + hidden * tower.width;
  const std::int64_t rest = tower.parameters - tower.layers * of_layer;
  if (rest < 0 || tower.layers <= 0) {  // its layers are not known
    return {.layer = {}, .layers = 0, .rest = {tower.parameters * layout.dtype_bytes}};
  }
  const auto bytes_of = [&](std::int64_t values, std::int64_t sharers) {
    return divide_up(values, sharers) * layout.dtype_bytes;
  };
  const bool is_converted = layout.converts_towers && tower.kind == domain::TowerKind::Vision;
  const auto linear_bytes_of = [&](std::int64_t values, std::int64_t sharers) {
    if (!is_converted) return bytes_of(values, sharers);
    constexpr std::int64_t kBitsPerByte = 8;
    return divide_up(divide_up(values, sharers) * layout.scheme.weight_bits, kBitsPerByte);
  };
  TowerAllocations allocations;
  allocations.layers = tower.layers - (layout.leaves_out_layers ? tower.unused_layers : 0);
  allocations.layer = {linear_bytes_of(qkv, attention_ranks),
                       linear_bytes_of(hidden * hidden, attention_ranks),
                       linear_bytes_of(up, ranks), linear_bytes_of(hidden * tower.width, ranks)};
  if (tower.table_values > 0) allocations.rest.push_back(bytes_of(tower.table_values, 1));
  if (rest == 0) return allocations;
  const std::int64_t shared = shared_projector_values(tower, model, rest);
  allocations.rest.push_back(bytes_of(rest - shared, 1) + linear_bytes_of(shared, ranks));
  return allocations;
}

}  // namespace gpushape::estimate
