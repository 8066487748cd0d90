// More dense decoders whose configs need a word of their own. Sources: their classes in vLLM's
// model_executor/models (jais.py, telechat2.py, hyperclovax.py, plamo3.py, motif.py of vLLM 0.10)
// and in transformers (CwmConfig, DogeForCausalLM).
#include <string>
#include <vector>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {

// Tells positions by slopes, or by a table as GPT-2 does.
void read_jais(ConfigParts& parts) {
  read_outer(parts, Positions::Stored);
  domain::Layer layer = read_layer(parts);
  layer.feed_forward.gated =
      parts.fields().text("activation_function").value_or("gelu_new") == "swiglu";
  add_sliding_layers(parts, layer);
  domain::Model& model = parts.model();
  if (parts.fields().text("position_embedding_type").value_or("learned") != "alibi") {
    model.extra.push_back({.name = "position_embeddings",
                           .rows = model.rope.positions,
                           .columns = model.hidden_size});
  }
  model.rope = {};
}

// Of the network, the last matrix alone has a bias.
void read_telechat(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.extra.push_back({.name = "mlp.down_proj.bias", .rows = parts.model().hidden_size});
  add_sliding_layers(parts, layer);
}

// Two norms before attention and network, and two behind where the config does not take them away.
void read_hyperclovax(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  if (!parts.flag("use_post_norm", "", true)) layer.norms = 2;
  add_sliding_layers(parts, layer);
}

// The window's size has a name of its own; vLLM also reads it as a list, null where a layer sees
// everything.
void read_plamo3(ConfigParts& parts) {
  read_outer(parts);
  const domain::Layer layer = read_layer(parts);
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t window = parts.size_or({"window_size"}, "slidingWindow", kContextTokens, 128);
  for (const bool slides : sliding_layers(parts, count, window))
    add_layer(parts, slides ? sliding(layer, window) : layer);
  read_rotary_dim(parts, layer.attention.head_dim);
}

// Differential attention: heads in pairs, weighed by four vectors, with a norm on each pair's
// output; the network's activation is a polynomial with learned weights.
void read_motif(ConfigParts& parts) {
  if (parts.fields().integer("num_noise_heads", kHeads).value_or(0) > 0) {
    parts.fields().complain("num_noise_heads", "grouped differential attention is not understood",
                            "known is Motif-2.6B's attention, which pairs all heads");
  }
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  const std::int64_t head_dim = layer.attention.head_dim;
  for (const char* name : {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"})
    layer.extra.push_back({.name = std::string("self_attn.") + name, .rows = head_dim});
  layer.extra.push_back({.name = "self_attn.subln", .rows = 2 * head_dim});
  layer.extra.push_back({.name = "mlp.act_fn.weight", .rows = 3});
  layer.extra.push_back({.name = "mlp.act_fn.bias", .rows = 1});
  add_sliding_layers(parts, layer);
}

// The first layer of every four sees everything, where the config lists no layers.
void read_cwm(ConfigParts& parts) {
  if (parts.fields().given("layer_types")) {
    read_dense(parts);
    return;
  }
  read_outer(parts);
  const domain::Layer layer = read_layer(parts);
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t window = read_window(parts).value_or(0);
  for (std::int64_t i = 0; i < count; ++i)
    add_layer(parts, i % 4 == 0 || window == 0 ? layer : sliding(layer, window));
  read_rotary_dim(parts, layer.attention.head_dim);
}

namespace {

// Beside the dense network, experts of one row and one column each, which a token looks up as in an
// embedding: by the best of two lists of keys, whose product names an expert (DogeCDMoE).
void add_retrieved_experts(const ConfigParts& parts, domain::Layer& layer) {
  const std::int64_t experts = parts.size_or({"num_experts"}, "", kVocabulary, 16384);
  const std::int64_t hidden = parts.model().hidden_size;
  std::int64_t keys = 1;
  while ((keys + 1) * (keys + 1) <= experts) ++keys;
  layer.extra.push_back(
      {.name = "mlp.router_gate", .rows = 2 * keys, .columns = hidden, .is_linear = true});
  for (const char* name : {"mlp.down_embed", "mlp.up_embed"})
    layer.extra.push_back({.name = name, .rows = experts, .columns = hidden});
}

}  // namespace

// Differential attention (arXiv 2410.05258): four vectors of a head's size weigh two attentions
// against each other; the norm on their difference has no weights.
void read_diffllama(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  for (const char* name : {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"})
    layer.extra.push_back(
        {.name = std::string("self_attn.") + name, .rows = layer.attention.head_dim});
  add_sliding_layers(parts, layer);
}

// A mask computed from the values, and scales on what passes by each half of a layer.
void read_doge(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::Layer layer = read_layer(parts);
  const domain::Attention& attention = layer.attention;
  const std::int64_t kv_heads = attention.kv_heads;
  layer.extra.push_back({.name = "self_attn.A", .rows = kv_heads});
  layer.extra.push_back({.name = "self_attn.dt_proj",
                         .rows = kv_heads,
                         .columns = kv_heads * attention.value_head_dim,
                         .is_linear = true});
  if (attention.qkv_bias)
    layer.extra.push_back({.name = "self_attn.dt_proj.bias", .rows = kv_heads});
  for (const char* name : {"input_residual", "post_attention_residual"})
    layer.extra.push_back({.name = name, .rows = hidden_size});
  static_cast<void>(parts.fields().first_given({"num_experts"}));
  if (parts.flag("is_moe", "", false)) add_retrieved_experts(parts, layer);
  add_sliding_layers(parts, layer);
}

}  // namespace gpushape::catalog
