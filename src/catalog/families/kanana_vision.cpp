// Kanana 1.5-V: Qwen2-VL's image encoder without its merger, and a C-Abstractor (arXiv 2312.06742):
// two stages of RegNet around a merging of two by two patches, and a network. Sources: vLLM
// model_executor/models/kanana_v.py, RegStage of timm, the publisher's configuration.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// A bottleneck as wide as it gives: three convolutions without biases, of which the second is of
// three by three pixels and of each channel alone, norms, an excitation of a quarter of the inputs.
std::int64_t bottleneck_values(std::int64_t inputs, std::int64_t outputs) {
  constexpr std::int64_t kPixels = 9;
  const std::int64_t squeezed = inputs / 4;
  const std::int64_t shortcut = inputs == outputs ? 0 : inputs * outputs + 2 * outputs;
  return inputs * outputs + kPixels * outputs + outputs * outputs + 6 * outputs +
         linear_values(outputs, squeezed) + linear_values(squeezed, outputs) + shortcut;
}

std::int64_t stage_values(std::int64_t blocks, std::int64_t inputs, std::int64_t outputs) {
  if (blocks == 0) return 0;
  return bottleneck_values(inputs, outputs) + (blocks - 1) * bottleneck_values(outputs, outputs);
}

struct Abstractor {
  std::int64_t values = 0;
  std::int64_t merged = 1;  ///< patches of a token
};

Abstractor read_abstractor(const Fields& projector, std::int64_t features, std::int64_t out) {
  const std::int64_t blocks = projector.integer("depth", {.least = 0, .most = 100}).value_or(2);
  const std::int64_t hidden = projector.integer("hidden_size", kHiddenSize).value_or(1024);
  const std::int64_t edge = projector.integer("merge_size", kMergeEdge).value_or(2);
  const std::int64_t matrices = projector.integer("mlp_depth", kLayers).value_or(2);
  const std::int64_t seen =
      projector.integer("encoder_hidden_size", kHiddenSize).value_or(features);
  const std::int64_t given = projector.integer("output_hidden_size", kHiddenSize).value_or(out);
  Abstractor abstractor{.merged = edge * edge};
  if (projector.boolean("pos_emb").value_or(true))
    abstractor.values += projector.integer("pos_emb_size", kImageCount).value_or(576) * seen;
  abstractor.values += stage_values(blocks, seen, hidden) +
                       stage_values(blocks, abstractor.merged * hidden, hidden) +
                       linear_values(blocks == 0 ? seen : hidden, given) +
                       (matrices - 1) * linear_values(given, given);
  return abstractor;
}

}  // namespace

// The config calls its decoder by a name of its own; the class loads it as a Llama.
const Family* kanana_decoder(const Fields& /*root*/) { return family_of_type("llama"); }

void add_kanana_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  auto projector = parts.root().mapping("projector_config");
  if (!reader || !projector) return;
  const Fields vision(*reader);
  const std::int64_t out = parts.model().hidden_size;
  domain::Tower tower = qwen2_tower(vision, out);
  const std::int64_t edge = vision.integer("spatial_merge_size", kMergeEdge).value_or(2);
  const std::int64_t merged = edge * edge * tower.hidden_size;
  const std::int64_t merger =
      2 * tower.hidden_size + linear_values(merged, merged) + linear_values(merged, out);
  const Abstractor abstractor = read_abstractor(Fields(*projector), tower.hidden_size, out);
  tower.parameters += abstractor.values - merger;
  tower.output_tokens = tower.inner_tokens / abstractor.merged;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
