// Decoders with multi-head attention and experts. Sources: the families' classes in transformers.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

void read_mixtral(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true, .count = 8, .active = 2});
}

void read_granite_moe(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true, .has_shared_width = true});
}

void read_olmoe(ConfigParts& parts) { read_mixture(parts, {.width_is_intermediate = true}); }

void read_phi_moe(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true});
  if (parts.flag("lm_head_bias", "", true) && parts.model().has_head)
    parts.model().extra.push_back(
        {.name = "lm_head.bias", .rows = parts.model().vocabulary, .is_dealt_out = true});
}

// An expert is as wide as `intermediate_size`; the dense layers before have a width of their own.
void read_cohere2_moe(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true, .counts_shared = true});
  const auto width = parts.size_if({"prefix_dense_intermediate_size"}, "feedForwardWidth", kWidth);
  for (domain::LayerRun& run : parts.model().layers) {
    if (width && !run.layer.feed_forward.experts) run.layer.feed_forward.width = *width;
  }
}

void read_gpt_oss(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true, .bias = true, .router_bias = true});
  for (domain::LayerRun& run : parts.model().layers) run.layer.attention.has_sinks = true;
}

// OpenAI's privacy filter: gpt-oss that looks both ways within its window, with a row and a bias
// for each label in place of the head. Source: vLLM model_executor/models/openai_privacy_filter.py.
void read_privacy_filter(ConfigParts& parts) {
  read_gpt_oss(parts);
  domain::Model& model = parts.model();
  for (domain::LayerRun& run : model.layers) {
    run.layer.attention.kind = domain::LayerKind::None;
    run.layer.attention.window_tokens = 0;
  }
  if (!model.has_head)
    model.extra.push_back({.name = "score.bias", .rows = label_count(parts.root())});
}

// JetMoE (arXiv 2404.07413): attention is a mixture, too. Source: JetMoeConfig and
// modeling_jetmoe.py of transformers; both mixtures add a bias of the hidden size.
void read_jetmoe(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer layer;
  layer.feed_forward.experts = read_experts(
      parts,
      {.width = parts.size({"intermediate_size", "ffn_hidden_size"}, "expertWidth", kWidth)});
  parts.from_config("expertWidth");
  const domain::Experts& experts = *layer.feed_forward.experts;
  domain::Attention& attention = layer.attention;
  attention.kv_heads = parts.size({"num_key_value_heads"}, "kvHeads", kHeads);
  attention.heads = attention.kv_heads * experts.active;
  attention.head_dim = parts.size_or({"kv_channels"}, "headDim", kHeadDim, 128);
  attention.value_head_dim = attention.head_dim;
  attention.query_experts = experts.count;
  layer.extra.push_back({.name = "mlp.bias", .rows = parts.model().hidden_size});
  parts.model().layers.push_back({layer, count});
  read_rotary_dim(parts, attention.head_dim);
}

void read_qwen2_moe(ConfigParts& parts) {
  read_mixture(parts, {.has_shared_width = true,
                       .shared_gate = true,
                       .count = 60,
                       .active = 4,
                       .width = 1408,
                       .shared_width = 5632});
}

void read_qwen3_moe(ConfigParts& parts) {
  read_mixture(parts, {.count = 128, .active = 8, .width = 768});
}

void read_qwen3_vl_moe(ConfigParts& parts) {
  read_mixture(parts, {.count = 60, .active = 4, .width = 1408});
}

void read_ernie_moe(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true, .correction_bias = true});
}

void read_glm4_moe(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true, .correction_bias = true});
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  add_multi_token(parts, parts.model().layers.back().layer, further, {.holds_embedding = true});
}

// Arctic: beside the experts a dense network as wide as the model, which every token takes, behind
// a norm of its own.
void read_arctic(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = true});
  if (!parts.flag("use_residual", "", true)) return;
  domain::Model& model = parts.model();
  for (domain::LayerRun& run : model.layers) {
    if (!run.layer.feed_forward.experts) continue;
    run.layer.feed_forward.experts->shared_width = model.hidden_size;
    run.layer.norms = 3;
  }
}

// Grok: experts as wide as the network of other models in the first, narrower in the second, which
// has a dense network of that width beside them. Source: vLLM model_executor/models/grok1.py.
void read_grok(ConfigParts& parts) {
  read_mixture(parts, {.width_is_intermediate = !parts.fields().given("moe_intermediate_size")});
  if (!parts.flag("residual_moe", "", false)) return;
  const std::int64_t width = parts.size({"intermediate_size"}, "sharedWidth", kWidth);
  for (domain::LayerRun& run : parts.model().layers)
    run.layer.feed_forward.experts->shared_width = width;
}

// K-EXAONE: the layer that predicts further tokens is a dense one.
void read_exaone_moe(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true, .correction_bias = true});
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  domain::Layer layer = parts.model().layers.front().layer;
  layer.attention.kind = domain::LayerKind::Full;
  layer.attention.window_tokens = 0;
  add_multi_token(parts, layer, further);
}

void read_hy_v3(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true, .correction_bias = true});
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  add_multi_token(parts, parts.model().layers.back().layer, further);
}

// Pangu Pro: experts in groups, of each of which a token takes one, and a vector that scales the
// router's scores. Source: vllm-ascend models/pangu_moe.py.
void read_pangu_pro(ConfigParts& parts) {
  read_mixture(parts, {.has_shared_width = true});
  for (domain::LayerRun& run : parts.model().layers) {
    const auto& experts = run.layer.feed_forward.experts;
    if (experts) run.layer.extra.push_back({.name = "mlp.router_scale", .rows = experts->count});
  }
}

void read_deepseek_moe(ConfigParts& parts) { read_mixture(parts, {.counts_shared = true}); }

void read_dots1(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true,
                       .correction_bias =
                           parts.fields().text("topk_method").value_or("noaux_tc") == "noaux_tc"});
}

// Ling and Ring: shared experts of a width of their own where the config gives one.
void read_bailing_moe(ConfigParts& parts) {
  read_mixture(parts, {.counts_shared = true,
                       .correction_bias = parts.flag("moe_router_enable_expert_bias", "", false)});
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  add_multi_token(parts, parts.model().layers.back().layer, further);
}

namespace {

// Hunyuan lists a number for each layer where all are the same.
std::int64_t layer_value(const ConfigParts& parts, std::string_view field, std::int64_t count,
                         std::size_t layer, std::int64_t otherwise) {
  const document::Node* node = parts.fields().node(field);
  if (node == nullptr) return otherwise;
  if (!node->is(document::Node::Kind::Sequence))
    return parts.fields().integer(field, {.least = 0, .most = kWidth.most}).value_or(otherwise);
  const std::vector<std::int64_t> numbers = layer_numbers(parts, field, count);
  return layer < numbers.size() ? numbers[layer] : otherwise;
}

}  // namespace

void read_hunyuan_moe(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer layer;
  layer.attention = read_attention(parts);
  const std::int64_t width = parts.size({"intermediate_size"}, "feedForwardWidth", kWidth);
  const std::int64_t experts = parts.size({"num_experts"}, "experts", kExperts);
  const bool mixes = parts.flag("use_mixed_mlp_moe", "", true);
  const std::int64_t dense =
      parts.fields().integer("moe_layer_num_skipped", {.least = 0, .most = count}).value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    layer.feed_forward = {};
    if (i < dense || experts == 1) {
      layer.feed_forward.width = width;
    } else {
      domain::Experts mixture{.count = experts};
      mixture.active = std::max<std::int64_t>(1, layer_value(parts, "moe_topk", count, index, 1));
      mixture.width = std::max<std::int64_t>(
          1, layer_value(parts, "moe_intermediate_size", count, index, width));
      if (mixes)
        mixture.shared_width =
            mixture.width * layer_value(parts, "num_shared_expert", count, index, 1);
      layer.feed_forward.experts = mixture;
    }
    add_layer(parts, layer);
  }
  for (const char* fact : {"activeExperts", "expertWidth", "sharedExpertWidth"})
    parts.from_config(fact);
  read_rotary_dim(parts, layer.attention.head_dim);
}

}  // namespace gpushape::catalog
