// Dense decoders whose configs need a word more than the common reader. Sources: the classes that
// their publishers ship (modeling_*.py of the repositories) or that transformers has.
#include <fmt/format.h>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/towers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFew{.least = 0, .most = 100};

// Some families store gate and up as one matrix and publish its height.
void read_with_halved_width(const ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (layer.feed_forward.width % 2 != 0) {
    parts.fields().complain("intermediate_size",
                            fmt::format("intermediate_size {} is odd, but counts gate and up "
                                        "together",
                                        layer.feed_forward.width));
  }
  layer.feed_forward.width /= 2;
  add_sliding_layers(parts, layer);
}

void read_dense_with_further(ConfigParts& parts, MultiTokenTraits traits) {
  read_dense(parts);
  const std::int64_t further = parts.fields().integer("num_nextn_predict_layers", kFew).value_or(0);
  add_multi_token(parts, parts.model().layers.back().layer, further, traits);
}

}  // namespace

void read_with_further(ConfigParts& parts) { read_dense_with_further(parts, {}); }

// What predicts further tokens has an embedding and a head of its own.
void read_glm_ocr(ConfigParts& parts) { read_dense_with_further(parts, {.holds_embedding = true}); }

void read_minicpm(ConfigParts& parts) {
  if (parts.fields().integer("num_experts", kExperts).value_or(0) > 0) {
    read_mixture(parts, {.width_is_intermediate = true});
    return;
  }
  read_dense(parts);
}

// The first Qwen: `intermediate_size` is twice the width of one gate matrix.
void read_qwen1(ConfigParts& parts) { read_with_halved_width(parts); }

// ChatGLM 2, 3 and GLM-4-9b as published by the family itself.
void read_chatglm(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (!parts.flag("multi_query_attention", "", true))
    layer.attention.kv_heads = layer.attention.heads;
  if (parts.flag("add_bias_linear", "", false)) {
    layer.attention.output_bias = true;
    layer.attention.qkv_bias = true;
    layer.feed_forward.bias = true;
  }
  add_sliding_layers(parts, layer);
  // rope_ratio stretches the base, not the table.
  const auto ratio = parts.fields().number("rope_ratio", kRopeFactor);
  if (ratio) model.rope.theta *= *ratio;
  if (parts.fields().given("vision_config")) add_eva_tower(parts);
}

// The first OLMo normalises without weights.
void read_olmo(ConfigParts& parts) {
  read_dense(parts);
  parts.model().has_final_norm = false;
}

void read_stablelm(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (parts.flag("use_parallel_residual", "", false)) layer.norms = 1;
  add_sliding_layers(parts, layer);
}

// Two learned values shape the activation of each network.
void read_apertus(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  for (const char* name : {"mlp.act_fn.alpha_p", "mlp.act_fn.alpha_n"})
    layer.extra.push_back({.name = name, .rows = 1});
  add_sliding_layers(parts, layer);
}

void read_molmo(ConfigParts& parts) {
  read_with_halved_width(parts);
  domain::Model& model = parts.model();
  // 128 further rows for the image tokens, which the head does not have.
  model.extra.push_back(
      {.name = "embed_tokens.new_embedding", .rows = 128, .columns = model.hidden_size});
  add_molmo_tower(parts);
}

// Step1 (vLLM model_executor/models/step1.py) adds a slope to its scores in place of a rotation.
void read_step1(ConfigParts& parts) {
  read_dense(parts);
  parts.model().rope = {};
}

}  // namespace gpushape::catalog
