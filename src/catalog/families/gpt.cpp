// The GPT line and its contemporaries: LayerNorm, biases, learned positions or ALiBi. Sources: the
// families' classes in transformers.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

void add_positions(const ConfigParts& parts, std::int64_t offset = 0) {
  domain::Model& model = parts.model();
  model.extra.insert(model.extra.begin(), {.name = "position_embeddings",
                                           .rows = model.rope.positions + offset,
                                           .columns = model.hidden_size});
  model.rope = {};
}

}  // namespace

void read_gpt2(ConfigParts& parts) {
  read_outer(parts, Positions::Stored);
  domain::Layer layer = read_layer(parts);
  // gpt_bigcode shares one KV head unless the config says otherwise.
  if (parts.family().model_type() == "gpt_bigcode" && !parts.flag("multi_query", "", true))
    layer.attention.kv_heads = layer.attention.heads;
  add_sliding_layers(parts, layer);
  add_positions(parts);
}

// The first GPT normalises behind each half of a layer, and not at the end.
void read_openai_gpt(ConfigParts& parts) {
  read_gpt2(parts);
  parts.model().has_final_norm = false;
  parts.model().final_norm_bias = false;
}

// Every other layer sees a window; q, k and v have no bias. `attention_types` repeats words:
// [[words, times], …]; published configs list them layer by layer, too.
void read_gpt_neo(ConfigParts& parts) {
  read_outer(parts, Positions::Stored);
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention = read_equal_heads(parts, "num_heads");
  attention.output_bias = true;
  layer.feed_forward = read_feed_forward(parts);
  layer.norm_bias = true;
  const std::int64_t window = parts.size_or({"window_size"}, "slidingWindow", kContextTokens, 256);
  const std::int64_t count = read_layer_count(parts);
  std::vector<std::string> kinds = layer_words(parts, "attention_layers", count);
  static_cast<void>(parts.fields().given("attention_types"));
  for (std::int64_t i = 0; i < count; ++i) {
    const bool slides = kinds.empty() ? i % 2 == 1 : kinds[static_cast<std::size_t>(i)] == "local";
    add_layer(parts, slides ? sliding(layer, window) : layer);
  }
  add_positions(parts);
}

void read_falcon(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  const bool is_new = parts.flag("new_decoder_architecture", "", false);
  const bool is_parallel = parts.flag("parallel_attn", "", true);
  const bool is_multi_query = parts.flag("multi_query", "", true);
  if (is_new) {
    const bool two =
        parts.fields().integer("num_ln_in_parallel_attn", {.least = 1, .most = 2}).value_or(2) == 2;
    layer.norms = two ? 2 : 1;
  } else {
    layer.attention.kv_heads = is_multi_query ? 1 : layer.attention.heads;
    layer.norms = is_parallel ? 1 : 2;
  }
  add_sliding_layers(parts, layer);
  if (parts.fields().boolean("alibi").value_or(false)) parts.model().rope = {};
}

void read_phi(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (parts.flag("qk_layernorm", "", false)) layer.attention.head_norm = domain::HeadNorm::Shared;
  add_sliding_layers(parts, layer);
}

void read_bloom(ConfigParts& parts) {
  read_dense(parts);
  domain::Model& model = parts.model();
  model.rope = {};  // ALiBi
  model.extra.push_back({.name = "word_embeddings_layernorm", .rows = model.hidden_size});
  model.extra.push_back({.name = "word_embeddings_layernorm.bias", .rows = model.hidden_size});
}

void read_opt(ConfigParts& parts) {
  read_outer(parts, Positions::Stored);
  add_sliding_layers(parts, read_layer(parts));
  domain::Model& model = parts.model();
  add_positions(parts, 2);  // fairseq's padding rows
  const std::int64_t width =
      parts.fields().integer("word_embed_proj_dim", kHiddenSize).value_or(model.hidden_size);
  if (width != model.hidden_size) {
    model.embedding_width = width;
    parts.from_config("embeddingWidth");
    model.extra.push_back({.name = "project_in", .rows = model.hidden_size, .columns = width});
    model.extra.push_back({.name = "project_out", .rows = width, .columns = model.hidden_size});
  }
  if (!parts.flag("do_layer_norm_before", "", true)) model.has_final_norm = false;
}

// Positions by sine and cosine, which are computed.
void read_xglm(ConfigParts& parts) {
  read_outer(parts, Positions::Stored);
  domain::Layer layer;
  layer.attention = read_equal_heads(parts, "attention_heads");
  layer.attention.qkv_bias = true;
  layer.attention.output_bias = true;
  layer.feed_forward = read_feed_forward(parts);
  layer.norm_bias = true;
  parts.model().layers.push_back({layer, read_layer_count(parts)});
  parts.model().rope = {};
}

void read_mpt(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention = read_equal_heads(parts, "n_heads");
  const bool has_bias = !parts.flag("no_bias", "qkvBias", true);
  attention.qkv_bias = has_bias;
  attention.output_bias = has_bias;
  bool is_alibi = false;
  if (auto reader = parts.fields().mapping("attn_config")) {
    const Fields fields(*reader);
    is_alibi = fields.boolean("alibi").value_or(false);
    if (const auto kv_heads = fields.integer("kv_n_heads", kHeads)) attention.kv_heads = *kv_heads;
    if (fields.text("attn_type") == "multiquery_attention") attention.kv_heads = 1;
    if (fields.boolean("qk_ln").value_or(false)) attention.head_norm = domain::HeadNorm::Each;
  }
  layer.feed_forward.gated = false;
  layer.feed_forward.bias = has_bias;
  layer.feed_forward.width =
      parts.model().hidden_size *
      parts.size_or({"expansion_ratio"}, "feedForwardWidth", {.least = 1, .most = 100}, 4);
  layer.norm_bias = has_bias;
  parts.model().final_norm_bias = has_bias;
  parts.model().layers.push_back({layer, read_layer_count(parts)});
  if (!is_alibi && parts.flag("learned_pos_emb", "", true)) add_positions(parts);
  parts.model().rope = {};
}

void read_dbrx(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer;
  domain::Attention& attention = layer.attention;
  attention = read_equal_heads(parts, "n_heads");
  if (auto reader = parts.fields().mapping("attn_config")) {
    const Fields fields(*reader);
    if (const auto kv_heads = fields.integer("kv_n_heads", kHeads)) attention.kv_heads = *kv_heads;
    if (const auto theta = fields.number("rope_theta", kRopeTheta))
      parts.model().rope.theta = *theta;
  }
  if (auto reader = parts.fields().mapping("ffn_config")) {
    const Fields fields(*reader);
    domain::Experts experts;
    experts.count = fields.required_integer("moe_num_experts", kExperts);
    experts.active = fields.required_integer("moe_top_k", kExperts);
    experts.width = fields.required_integer("ffn_hidden_size", kWidth);
    layer.feed_forward.experts = experts;
  } else {
    static_cast<void>(parts.fields().required_integer("ffn_config", {}));
  }
  parts.model().layers.push_back({layer, read_layer_count(parts)});
  parts.model().rope.rotary_dim = attention.head_dim;
}

}  // namespace gpushape::catalog
