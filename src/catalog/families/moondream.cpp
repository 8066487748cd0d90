// Moondream 3: attention and network beside each other behind one norm, values of each head that
// scale its queries and values (tau), experts from the fifth layer on; SigLIP's blocks and a
// projector that takes an overview and its tiles side by side. Sizes stand in a mapping of their
// own, which publishes only what differs. Sources: vLLM model_executor/models/moondream3.py and
// transformers_utils/configs/moondream3.py; the region module, which points at things and which
// vLLM does not load: the publisher's region.py and config.py.
#include <optional>
#include <string_view>

#include "catalog/families/decoder.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

using document::IntegerBounds;

/// A mapping that may be absent.
class Sizes {
 public:
  explicit Sizes(std::optional<document::Reader> reader) : reader_(std::move(reader)) {}

  [[nodiscard]] std::int64_t size(std::string_view name, IntegerBounds bounds,
                                  std::int64_t otherwise) {
    return reader_ ? Fields(*reader_).integer(name, bounds).value_or(otherwise) : otherwise;
  }
  [[nodiscard]] std::optional<document::Reader> mapping(std::string_view name) {
    return reader_ ? Fields(*reader_).mapping(name) : std::nullopt;
  }
  [[nodiscard]] double theta(double otherwise) {
    return reader_ ? Fields(*reader_).number("rope_theta", kRopeTheta).value_or(otherwise)
                   : otherwise;
  }

 private:
  std::optional<document::Reader> reader_;
};

domain::Attention read_attention(Sizes& text, std::int64_t hidden) {
  domain::Attention attention;
  attention.heads = text.size("n_heads", kHeads, 32);
  attention.kv_heads = text.size("n_kv_heads", kHeads, attention.heads);
  attention.head_dim = std::max<std::int64_t>(1, hidden / attention.heads);
  attention.value_head_dim = attention.head_dim;
  attention.qkv_bias = true;
  attention.output_bias = true;
  return attention;
}

void read_layers(const ConfigParts& parts, Sizes& text) {
  const domain::Model& model = parts.model();
  domain::Layer layer;
  layer.attention = read_attention(text, model.hidden_size);
  layer.norms = 1;
  layer.norm_bias = true;
  const std::int64_t heads = layer.attention.heads;
  layer.extra.push_back({.name = "attn.tau_alpha", .rows = heads});
  for (const char* name : {"attn.tau_wq", "attn.tau_wv"})
    layer.extra.push_back({.name = name, .rows = heads, .columns = 3 * model.hidden_size});
  domain::Layer mixture = layer;
  layer.feed_forward = {.width = text.size("ff_dim", kWidth, 8192), .gated = false, .bias = true};
  Sizes moe(text.mapping("moe"));
  mixture.feed_forward.experts =
      domain::Experts{.count = moe.size("num_experts", kExperts, 64),
                      .active = moe.size("experts_per_token", kExperts, 8),
                      .width = moe.size("expert_inner_dim", kWidth, 1024),
                      .router_bias = true};
  const std::int64_t count = text.size("n_layers", kLayers, 24);
  const std::int64_t dense =
      std::min(count, moe.size("start_layer", {.least = 0, .most = kLayers.most}, 4));
  for (std::int64_t i = 0; i < count; ++i) add_layer(parts, i < dense ? layer : mixture);
}

// Points and boxes as words of their own: encoders and decoders, a norm, and two tables of
// frequencies.
std::int64_t region_values(Sizes& region, std::int64_t hidden) {
  const std::int64_t point = region.size("coord_feat_dim", kHiddenSize, 256);
  const std::int64_t box = region.size("size_feat_dim", kHiddenSize, 512);
  return linear_values(point, hidden) + linear_values(box, hidden) +
         linear_values(hidden, region.size("coord_out_dim", kHiddenSize, 1024)) +
         linear_values(hidden, region.size("size_out_dim", kHiddenSize, 2048)) + 2 * hidden +
         point / 2 + box;
}

domain::Tower read_tower(Sizes& vision, std::int64_t out) {
  domain::Tower tower;
  tower.hidden_size = vision.size("enc_dim", kHiddenSize, 1152);
  tower.width = vision.size("enc_ff_dim", kWidth, 4304);
  tower.layers = vision.size("enc_n_layers", kLayers, 27);
  tower.heads = vision.size("enc_n_heads", kHeads, 16);
  const std::int64_t patch = vision.size("enc_patch_size", kPatchEdge, 14);
  const std::int64_t crop = vision.size("crop_size", kImageEdge, 378);
  const std::int64_t inner = vision.size("proj_inner_dim", kHiddenSize, 8192);
  const std::int64_t side = std::max<std::int64_t>(1, crop / patch);
  tower.parameters = siglip_values(tower, patch, side * side) +
                     linear_values(2 * tower.hidden_size, inner) + linear_values(inner, out);
  // An overview and as many crops as are allowed, which come to the tokens of one.
  const std::int64_t crops = 1 + vision.size("max_crops", kImageCount, 12);
  tower.inner_tokens = crops * side * side;
  tower.output_tokens = side * side + 1;
  tower.input_values = crops * kColours * crop * crop;
  return tower;
}

}  // namespace

void read_moondream3(ConfigParts& parts) {
  domain::Model& model = parts.model();
  Sizes config(parts.root().mapping("config"));
  Sizes text(config.mapping("text"));
  model.hidden_size = text.size("dim", kHiddenSize, 2048);
  model.vocabulary = text.size("vocab_size", kVocabulary, 51200);
  model.max_context_tokens = text.size("max_context", kContextTokens, 4096);
  model.final_norm_bias = true;
  constexpr double kTheta = 1'500'000;
  constexpr std::int64_t kRotated = 32;
  model.rope.theta = text.theta(kTheta);
  model.rope.rotary_dim = kRotated;
  model.rope.positions = model.max_context_tokens;
  if (model.has_head)
    model.extra.push_back({.name = "lm_head.bias", .rows = model.vocabulary, .is_dealt_out = true});
  read_layers(parts, text);
  for (const char* fact : {"hiddenSize", "vocabulary", "contextTokens", "layers", "attentionHeads",
                           "kvHeads", "feedForwardWidth", "experts", "rope"})
    parts.from(fact, "config.json, or the family's default in vLLM (Moondream3Config)");
  Sizes vision(config.mapping("vision"));
  Sizes region(config.mapping("region"));
  domain::Tower tower = read_tower(vision, model.hidden_size);
  tower.parameters += region_values(region, model.hidden_size);
  add_tower(parts, tower);
  model.notes.emplace_back(
      "the tower's parameters have the region module among them, which vLLM does not load");
}

}  // namespace gpushape::catalog
