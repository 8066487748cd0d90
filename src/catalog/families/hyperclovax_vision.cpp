// HyperCLOVA X SEED's second with pictures: Qwen2.5-VL's encoder, whose merger gives a width of its
// own, and one matrix behind it. Source: vLLM model_executor/models/hyperclovax_vision_v2.py.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void add_hcx_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  const std::int64_t out = parts.model().hidden_size;
  const std::int64_t seen = vision.integer("out_hidden_size", kHiddenSize)
                                .value_or(vision.integer("hidden_size", kHiddenSize).value_or(out));
  domain::Tower tower = qwen2_tower(vision, seen);
  tower.parameters += linear_values(seen, out);
  add_tower(parts, tower);
  bool has_others = false;
  for (const char* field : {"audio_config", "discrete_audio_config", "discrete_vision_config"})
    has_others = parts.root().given(field) || has_others;
  if (has_others)
    parts.model().notes.emplace_back(
        "what hears, speaks and paints is not counted: vLLM loads the encoder of pictures alone");
}

}  // namespace gpushape::catalog
