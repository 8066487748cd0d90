// OpenVLA: DINOv2 and SigLIP look at the same picture, and three matrices make Llama 2's tokens of
// the outputs of both side by side. The encoders' sizes stand in timm, by the names that the config
// gives. Sources: vLLM 0.23 model_executor/models/openvla.py; timm/models/vision_transformer.py
// (vit_large_patch14_reg4_dinov2, vit_so400m_patch14_siglip_224).
#include "catalog/families/composite.hpp"
#include "catalog/families/config_parts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr std::int64_t kVlaImage = 224;
constexpr std::int64_t kVlaPatch = 14;
constexpr std::int64_t kVlaPatches = (kVlaImage / kVlaPatch) * (kVlaImage / kVlaPatch);
constexpr std::int64_t kVlaPicture = kColours * kVlaImage * kVlaImage;

/// A class token and four registers that have no positions; a scale behind each half of a block.
domain::Tower vla_dinov2() {
  domain::Tower tower{.hidden_size = 1024, .layers = 24, .heads = 16, .width = 4096};
  const std::int64_t hidden = tower.hidden_size;
  constexpr std::int64_t kOthers = 1 + 4;
  tower.parameters =
      linear_values(kColours * kVlaPatch * kVlaPatch, hidden) + (kVlaPatches + kOthers) * hidden +
      tower.layers *
          values_of({.hidden = hidden, .width = tower.width, .norm_values = (4 + 2) * hidden}) +
      2 * hidden;
  tower.inner_tokens = kVlaPatches + kOthers;
  tower.input_values = kVlaPicture;
  return tower;
}

domain::Tower vla_siglip() {
  domain::Tower tower{.hidden_size = 1152, .layers = 27, .heads = 16, .width = 4304};
  tower.parameters = siglip_values(tower, kVlaPatch, kVlaPatches) + siglip_head_values(tower);
  tower.inner_tokens = kVlaPatches;
  tower.input_values = kVlaPicture;
  return tower;
}

}  // namespace

void add_openvla(ConfigParts& parts) {
  const Fields& root = parts.root();
  const std::vector<std::string> encoders = root.texts("timm_model_ids");
  const std::vector<std::string> known{"vit_large_patch14_reg4_dinov2.lvd142m",
                                       "vit_so400m_patch14_siglip_224"};
  if (!encoders.empty() && encoders != known) {
    root.complain("timm_model_ids", "image encoders of these names are not understood",
                  "known are " + known[0] + " and " + known[1]);
    return;
  }
  const domain::Tower first = vla_dinov2();
  domain::Tower second = vla_siglip();
  const std::int64_t in = first.hidden_size + second.hidden_size;
  const std::int64_t out = parts.model().hidden_size;
  second.parameters +=
      linear_values(in, 4 * in) + linear_values(4 * in, out) + linear_values(out, out);
  second.output_tokens = kVlaPatches;
  parts.model().towers = {first, second};
  parts.from_family("towers");
}

}  // namespace gpushape::catalog
