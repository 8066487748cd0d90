// Models that compare pages token by token: a vision-language model, and a matrix that narrows each
// of its outputs. Sources: vLLM 0.23 model_executor/models/colpali.py, colqwen3.py, colqwen3_5.py
// and colmodernvbert.py, and their classes in transformers_utils/configs.
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

/// Each publisher has a word of its own for the width; 0 for none.
std::int64_t embedding_width(const Fields& root, std::int64_t otherwise) {
  const std::string_view field = root.first_given(
      {"embedding_dim", "embed_dim", "dims", "dim", "projection_dim", "colbert_dim"});
  return field.empty() ? otherwise : root.integer(field, kHiddenSize).value_or(otherwise);
}

void add_narrowing(const ConfigParts& parts, std::int64_t width, bool has_bias) {
  domain::Model& model = parts.model();
  if (width == 0) return;
  model.extra.push_back({.name = "custom_text_proj", .rows = width, .columns = model.hidden_size});
  if (has_bias) model.extra.push_back({.name = "custom_text_proj.bias", .rows = width});
}

}  // namespace

// PaliGemma's config stands in one of its own, or flat beside the width.
void add_colpali(ConfigParts& parts) {
  constexpr std::int64_t kWidthOfAll = 128;  // ColPaliConfig
  if (auto inner = parts.root().mapping("vlm_config")) {
    ConfigParts paligemma(*inner, parts.fields().reader(), parts.family(), parts.model());
    add_paligemma(paligemma);
  } else {
    add_paligemma(parts);
  }
  add_narrowing(parts, embedding_width(parts.root(), kWidthOfAll), true);
}

// Some tell no width: the checkpoint's matrix does then.
void add_colqwen3(ConfigParts& parts) {
  add_qwen3_vision(parts);
  add_narrowing(parts, embedding_width(parts.root(), 0), false);
}

void add_colqwen35(ConfigParts& parts) {
  add_qwen3_vision(parts);
  add_narrowing(parts, embedding_width(parts.root(), 128), true);
}

// SigLIP, squares of patches behind one matrix, and an encoder of text.
void add_colmodernvbert(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 768, .layers = 12, .heads = 12, .width = 3072});
  const Patches patches = read_patches(vision, 512, 16);
  const std::int64_t edge = parts.root().integer("pixel_shuffle_factor", kMergeEdge).value_or(4);
  tower.inner_tokens = patches.side * patches.side;
  tower.parameters =
      siglip_values(tower, patches.patch, tower.inner_tokens) +
      linear_values(edge * edge * tower.hidden_size, parts.model().hidden_size, false);
  tower.output_tokens = tower.inner_tokens / (edge * edge);
  tower.input_values = kColours * patches.image * patches.image;
  add_tower(parts, tower);
  add_narrowing(parts, embedding_width(parts.root(), 128), true);
}

}  // namespace gpushape::catalog
