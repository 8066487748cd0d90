// Molmo 2: a decoder as Qwen3's or OLMo 3's whose layers all look back on everything, with
// embeddings of further tokens beside its table; SigLIP 2 without the blocks that nobody asks,
// pooling by attention over the outputs of two blocks, and a gated projector. Source: vLLM
// model_executor/models/molmo2.py.
#include <algorithm>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {

void read_molmo2(ConfigParts& parts) {
  read_dense(parts);
  domain::Model& model = parts.model();
  // "olmo" norms all heads as one, "qwen3" each head by the same vector.
  const bool norms_each = parts.fields().text("qk_norm_type").value_or("olmo") == "olmo";
  for (domain::LayerRun& run : model.layers) {
    domain::HeadNorm& norm = run.layer.attention.head_norm;
    if (norm != domain::HeadNorm::None && norms_each) norm = domain::HeadNorm::Each;
  }
  const std::int64_t further =
      parts.fields().integer("additional_vocab_size", kVocabulary).value_or(128);
  model.extra.push_back(
      {.name = "wte.new_embedding", .rows = further, .columns = model.hidden_size});
}

namespace {

// The blocks whose outputs are pooled; negative ones count from the end.
struct Pooled {
  std::int64_t count = 2;
  std::int64_t last = -3;
};
Pooled read_pooled(const Fields& adapter, std::int64_t layers) {
  Pooled pooled;
  pooled.last += layers;
  const std::vector<std::int64_t> indexes =
      adapter.reader().integers("vit_layers", {.least = -layers, .most = layers - 1});
  if (indexes.empty()) return pooled;
  pooled.count = static_cast<std::int64_t>(indexes.size());
  pooled.last = 0;
  for (const std::int64_t index : indexes)
    pooled.last = std::max(pooled.last, index < 0 ? index + layers : index);
  return pooled;
}

}  // namespace

void add_molmo2_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vit_config");
  auto adapter_reader = parts.root().mapping("adapter_config");
  if (!reader || !adapter_reader) return;
  const Fields vision(*reader);
  const Fields adapter(*adapter_reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304});
  const Pooled pooled = read_pooled(adapter, tower.layers);
  tower.layers = std::clamp<std::int64_t>(pooled.last + 1, 1, tower.layers);
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t patch = vision.integer("image_patch_size", kPatchEdge).value_or(14);
  const std::int64_t positions = vision.integer("image_num_pos", kContextTokens).value_or(577);
  const std::int64_t inner = adapter.integer("hidden_size", kHiddenSize).value_or(1152);
  const std::int64_t network = adapter.integer("intermediate_size", kWidth).value_or(18944);
  const std::int64_t out = parts.model().hidden_size;
  // SigLIP without the norm behind its blocks.
  tower.parameters = siglip_values(tower, patch, positions) - 2 * hidden +
                     3 * linear_values(pooled.count * hidden, inner) + linear_values(inner, inner) +
                     2 * inner * network + network * out;
  tower.inner_tokens = positions;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
