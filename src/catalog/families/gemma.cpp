// Gemma 3n and Gemma 4: embeddings for each layer, layers that share the cache of earlier ones, and
// wider global heads. Sources: Gemma3nTextConfig and Gemma4TextConfig of transformers and their
// classes; buffers (layer scalars) are no parameters and are not counted. DiffusionGemma is Gemma 4
// with a network on what it predicted a step before: vLLM model_executor/models/diffusion_gemma.py.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kLayerCount{.least = 0, .most = kLayers.most};

void add_per_layer_embeddings(const ConfigParts& parts, std::int64_t count, std::int64_t width) {
  domain::Model& model = parts.model();
  const std::int64_t vocabulary =
      parts.size_or({"vocab_size_per_layer_input"}, "", kVocabulary, model.vocabulary);
  model.extra.push_back({.name = "model.embed_tokens_per_layer",
                         .rows = vocabulary,
                         .columns = count * width,
                         .is_dealt_out = true});
  model.extra.push_back({.name = "model.per_layer_model_projection",
                         .rows = count * width,
                         .columns = model.hidden_size,
                         .is_linear = true,
                         .is_dealt_out = true});
  model.extra.push_back({.name = "model.per_layer_projection_norm", .rows = width});
}

void add_per_layer_input(domain::Layer& layer, std::int64_t width, std::int64_t hidden_size) {
  layer.extra.push_back(
      {.name = "per_layer_input_gate", .rows = width, .columns = hidden_size, .is_linear = true});
  layer.extra.push_back(
      {.name = "per_layer_projection", .rows = hidden_size, .columns = width, .is_linear = true});
  layer.extra.push_back({.name = "post_per_layer_input_norm", .rows = hidden_size});
}

// AltUp and LAuReL around a layer of Gemma 3n.
void add_alternating_updates(domain::Layer& layer, std::int64_t inputs, std::int64_t rank,
                             std::int64_t hidden_size) {
  layer.extra.push_back({.name = "altup.correct_output_scale", .rows = hidden_size});
  layer.extra.push_back({.name = "altup.correction_coefs", .rows = inputs, .columns = inputs});
  layer.extra.push_back(
      {.name = "altup.prediction_coefs", .rows = inputs * inputs, .columns = inputs});
  layer.extra.push_back({.name = "altup.modality_router", .rows = inputs, .columns = hidden_size});
  layer.extra.push_back({.name = "altup.router_norm", .rows = hidden_size});
  layer.extra.push_back(
      {.name = "laurel.linear_left", .rows = rank, .columns = hidden_size, .is_linear = true});
  layer.extra.push_back(
      {.name = "laurel.linear_right", .rows = hidden_size, .columns = rank, .is_linear = true});
  layer.extra.push_back({.name = "laurel.post_laurel_norm", .rows = hidden_size});
}

// One number, or one a layer.
std::vector<std::int64_t> widths(const ConfigParts& parts, std::int64_t count) {
  const document::Node* node = parts.fields().node("intermediate_size");
  parts.from_config("feedForwardWidth");
  if (node != nullptr && node->is(document::Node::Kind::Sequence)) {
    std::vector<std::int64_t> listed = layer_numbers(parts, "intermediate_size", count);
    listed.resize(static_cast<std::size_t>(count), 1);
    return listed;
  }
  const std::int64_t width = parts.fields().required_integer("intermediate_size", kWidth);
  std::vector<std::int64_t> equal(static_cast<std::size_t>(count), width);
  return equal;
}

}  // namespace

void read_gemma3n(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base;
  base.attention = read_attention(parts);
  base.norms = parts.traits().norms;
  const std::int64_t inputs = parts.size_or({"altup_num_inputs"}, "", {.least = 1, .most = 64}, 4);
  const std::int64_t rank = parts.size_or({"laurel_rank"}, "", kWidth, 64);
  const std::int64_t width =
      parts.size_or({"hidden_size_per_layer_input"}, "perLayerEmbedding", kHiddenSize, 256);
  add_alternating_updates(base, inputs, rank, model.hidden_size);
  add_per_layer_input(base, width, model.hidden_size);
  add_per_layer_embeddings(parts, count, width);
  for (std::int64_t i = 1; i < inputs; ++i) {
    for (const char* name : {"model.altup_projections", "model.altup_unembed_projections"})
      model.extra.push_back({.name = name,
                             .rows = model.hidden_size,
                             .columns = model.hidden_size,
                             .is_linear = true,
                             .is_dealt_out = true});
  }
  const std::int64_t shared =
      parts.fields().integer("num_kv_shared_layers", kLayerCount).value_or(15);
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  const std::vector<std::int64_t> network = widths(parts, count);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    domain::Layer layer = slides[i] ? sliding(base, window.value_or(0)) : base;
    layer.feed_forward.width = network[i];
    layer.attention.shares_cache = static_cast<std::int64_t>(i) >= count - shared;
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, base.attention.head_dim);
}

namespace {

// Beside the dense network: experts with a scale on the router's input and one for each expert, and
// three norms more.
void add_gemma4_experts(const ConfigParts& parts, domain::Layer& layer) {
  layer.feed_forward.experts = read_experts(parts, {});
  layer.norms = 7;
  layer.extra.push_back({.name = "router.scale", .rows = parts.model().hidden_size});
  layer.extra.push_back(
      {.name = "router.per_expert_scale", .rows = layer.feed_forward.experts->count});
}

domain::Layer global_layer(const ConfigParts& parts, domain::Layer layer) {
  domain::Attention& attention = layer.attention;
  attention.head_dim = parts.size_or({"global_head_dim"}, "globalHeadDim", kHeadDim, 512);
  attention.value_head_dim = attention.head_dim;
  const bool is_diffusion = parts.family().model_type() == "diffusion_gemma_text";
  attention.value_is_key = parts.flag("attention_k_eq_v", "valueIsKey", is_diffusion);
  const auto kv_heads = parts.size_if({"num_global_key_value_heads"}, "globalKvHeads", kHeads);
  if (attention.value_is_key && kv_heads) attention.kv_heads = *kv_heads;
  return layer;
}

/// "vision", of images and videos; a truth, or nothing, of models that do not.
bool attends_both_ways(const ConfigParts& parts) {
  const document::Node* const node = parts.fields().node("use_bidirectional_attention");
  return node != nullptr && node->is(document::Node::Kind::String) && node->text() == "vision";
}

}  // namespace

void read_gemma4(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base = read_layer(parts);
  const bool is_diffusion = parts.family().model_type() == "diffusion_gemma_text";
  if (parts.flag("enable_moe_block", "", is_diffusion && parts.fields().given("num_experts"))) {
    add_gemma4_experts(parts, base);
  } else {
    static_cast<void>(parts.fields().first_given({"moe_intermediate_size", "num_experts"}));
  }
  const std::int64_t width =
      parts.fields()
          .integer("hidden_size_per_layer_input", {.least = 0, .most = kHiddenSize.most})
          .value_or(0);
  if (width > 0) {
    add_per_layer_embeddings(parts, count, width);
    add_per_layer_input(base, width, model.hidden_size);
    parts.from_config("perLayerEmbedding");
  }
  const domain::Layer global = global_layer(parts, base);
  const std::int64_t shared =
      parts.fields().integer("num_kv_shared_layers", kLayerCount).value_or(0);
  const bool widens = parts.flag("use_double_wide_mlp", "", false);
  if (attends_both_ways(parts)) {
    model.has_whole_items = true;
    parts.from_config("wholeItems");
  }
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    domain::Layer layer = slides[i] ? sliding(base, window.value_or(0)) : global;
    layer.attention.shares_cache = static_cast<std::int64_t>(i) >= count - shared;
    if (layer.attention.shares_cache && widens) layer.feed_forward.width *= 2;
    add_layer(parts, layer);
  }
  model.rope.rotary_dim = global.attention.head_dim;
  for (domain::Rope& rope : model.further_ropes) rope.rotary_dim = base.attention.head_dim;
}

void read_diffusion_gemma(ConfigParts& parts) {
  read_gemma4(parts);
  domain::Model& model = parts.model();
  const std::int64_t width =
      parts.root()
          .integer("self_conditioning_size", kWidth)
          .value_or(parts.fields().integer("intermediate_size", kWidth).value_or(1));
  model.extra.push_back({.name = "self_conditioning.pre_norm", .rows = model.hidden_size});
  for (const char* name : {"self_conditioning.gate_proj", "self_conditioning.up_proj"})
    model.extra.push_back(
        {.name = name, .rows = width, .columns = model.hidden_size, .is_linear = true});
  model.extra.push_back({.name = "self_conditioning.down_proj",
                         .rows = model.hidden_size,
                         .columns = width,
                         .is_linear = true});
}

}  // namespace gpushape::catalog
