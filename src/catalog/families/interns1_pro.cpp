// Intern-S1-Pro (arXiv 2603.25040): Qwen3's mixture, whose positions are mixtures of frequencies
// themselves (FoPE, arXiv 2412.17739): for each KV head a square of sines' and one of cosines'
// weights, which all layers share. Qwen3-VL's image encoder without the mergers between its blocks.
// Sources: vLLM model_executor/models/interns1_pro.py and layers/rotary_embedding/fope.py; the
// publisher's modeling_interns1_pro.py.
#include <cmath>
#include <numbers>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// Those that turn once within the longest context, where the config does not count them.
std::int64_t read_frequencies(const Fields& scaling, const domain::Model& model,
                              std::int64_t head_dim) {
  if (const auto count = scaling.integer("num_inv_freq", kHeadDim)) return *count;
  const double slowest = 2 * std::numbers::pi / static_cast<double>(model.max_context_tokens);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < head_dim; i += 2) {
    const double share = static_cast<double>(i) / static_cast<double>(head_dim);
    if (std::pow(model.rope.theta, -share) > slowest) ++count;
  }
  return count;
}

}  // namespace

void read_interns1_pro(ConfigParts& parts) {
  read_qwen3_moe(parts);
  domain::Model& model = parts.model();
  auto reader = parts.fields().mapping("rope_scaling");
  if (!reader || model.layers.empty()) return;
  const Fields scaling(*reader);
  if (scaling.first_given({"fope_init_factor", "fope_sep_head", "num_inv_freq"}).empty()) return;
  const domain::Attention& attention = model.layers.front().layer.attention;
  const std::int64_t frequencies = read_frequencies(scaling, model, attention.head_dim);
  const bool is_apart = scaling.boolean("fope_sep_head").value_or(false);
  for (const char* name : {"rotary_emb.sin_coef", "rotary_emb.cos_coef"})
    model.extra.push_back({.name = name,
                           .rows = (is_apart ? attention.kv_heads : 1) * frequencies,
                           .columns = frequencies,
                           .is_dealt_out = is_apart});
}

void add_interns1_pro_vision(ConfigParts& parts) {
  constexpr std::int64_t kMergersBetween = 0;
  if (auto reader = parts.root().mapping("vision_config"))
    add_tower(parts, qwen3_tower(Fields(*reader), parts.model().hidden_size, kMergersBetween));
}

}  // namespace gpushape::catalog
