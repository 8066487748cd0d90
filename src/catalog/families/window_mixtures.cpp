// Mixtures of experts whose local and global layers differ in more than their window: Llama 4,
// Laguna, Step 3.5 and 3.7, MiMo-V2; and Step3 before them, which has no windows yet. Sources:
// Llama4TextConfig of transformers; vLLM's laguna, step3_text, step3p5 and mimo_v2_flash.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFewWindows{.least = 0, .most = 100};

// Llama 4: 1 in `no_rope_layers` is a layer with positions, which attends in chunks. Where the list
// is absent or empty, every `no_rope_layer_interval`-th layer is global.
std::vector<bool> chunked_layers(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> chunked(static_cast<std::size_t>(count), false);
  if (!parts.fields().given("attention_chunk_size")) return chunked;
  if (parts.fields().given("layer_types")) {
    const auto words = layer_words(parts, "layer_types", count);
    for (std::size_t i = 0; i < words.size(); ++i) chunked[i] = words[i] == "chunked_attention";
    return chunked;
  }
  const std::vector<std::int64_t> listed =
      parts.integers("no_rope_layers", {.least = 0, .most = 1});
  const std::int64_t interval =
      parts.fields()
          .integer("no_rope_layer_interval", {.least = 1, .most = kLayers.most})
          .value_or(4);
  for (std::size_t i = 0; i < chunked.size(); ++i) {
    chunked[i] =
        i < listed.size() ? listed[i] != 0 : (static_cast<std::int64_t>(i) + 1) % interval != 0;
  }
  return chunked;
}

std::vector<bool> llama4_mixtures(const ConfigParts& parts, std::int64_t count) {
  if (!parts.fields().given("moe_layers")) return mixture_layers(parts, count);
  static_cast<void>(parts.fields().first_given({"interleave_moe_layer_step"}));
  std::vector<bool> mixtures(static_cast<std::size_t>(count), false);
  for (const std::int64_t layer :
       parts.integers("moe_layers", {.least = 0, .most = kLayers.most})) {
    if (layer < count) mixtures[static_cast<std::size_t>(layer)] = true;
  }
  return mixtures;
}

}  // namespace

void read_llama4(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer dense;
  dense.attention = read_attention(parts);
  // use_qk_norm divides by the root mean square; it has no weights.
  static_cast<void>(parts.fields().given("use_qk_norm"));
  domain::Layer mixture = dense;
  dense.feed_forward.width = parts.size({"intermediate_size_mlp"}, "feedForwardWidth", kWidth);
  domain::Experts experts = read_experts(parts, {.width_is_intermediate = true});
  experts.shared_width = experts.width;  // one shared expert of the same width
  parts.from_family("sharedExpertWidth");
  mixture.feed_forward.experts = experts;
  const std::vector<bool> mixtures = llama4_mixtures(parts, count);
  const std::vector<bool> chunked = chunked_layers(parts, count);
  const std::int64_t chunk =
      parts.size_if({"attention_chunk_size"}, "attentionChunk", kContextTokens).value_or(0);
  for (std::size_t i = 0; i < chunked.size(); ++i) {
    domain::Layer layer = mixtures[i] ? mixture : dense;
    if (chunked[i]) {
      layer.attention.kind = domain::LayerKind::Chunked;
      layer.attention.window_tokens = chunk;
    }
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, dense.attention.head_dim);
}

namespace {

/// The drafts of these models are dense, and say so or do not speak of experts.
bool has_no_experts(const ConfigParts& parts) {
  const bool is_draft = parts.root().given("dflash_config");
  return is_draft &&
         parts.fields().integer("num_experts", {.least = 0, .most = kExperts.most}).value_or(0) ==
             0;
}

}  // namespace

void read_laguna(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base;
  base.attention = read_attention(parts);
  const document::Node* gating = parts.fields().node("gating");
  if (gating != nullptr && gating->is(document::Node::Kind::String)) {
    const std::string word(gating->text());
    if (word == "per-head" || word == "per_head") {
      base.attention.output_gate = domain::OutputGate::Head;
    } else if (word == "per-element" || word == "per_element") {
      base.attention.output_gate = domain::OutputGate::Value;
    } else {
      parts.fields().complain("gating", fmt::format("gating '{}' is not understood", word),
                              "known are per-head and per-element");
    }
  } else if (parts.flag("gating", "outputGate", false)) {
    base.attention.output_gate = domain::OutputGate::Head;
  }
  const std::vector<std::int64_t> heads =
      layer_numbers(parts, "num_attention_heads_per_layer", count);
  const bool is_dense = has_no_experts(parts);
  const std::vector<bool> mixtures = is_dense
                                         ? std::vector<bool>(static_cast<std::size_t>(count), false)
                                         : mixture_layers(parts, count);
  domain::FeedForward mixed;
  if (!is_dense)
    mixed.experts = read_experts(parts, {.has_shared_width = true, .correction_bias = true});
  domain::FeedForward dense;
  if (std::ranges::find(mixtures, false) != mixtures.end()) dense = read_feed_forward(parts);
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    domain::Layer layer = base;
    if (i < heads.size()) layer.attention.heads = std::max<std::int64_t>(1, heads[i]);
    layer.feed_forward = i < mixtures.size() && mixtures[i] ? mixed : dense;
    add_layer(parts, slides[i] ? sliding(layer, window.value_or(0)) : layer);
  }
  read_rotary_dim(parts, base.attention.head_dim);
}

namespace {

// "1,2,3": the layers with experts.
std::vector<bool> step_mixtures(const ConfigParts& parts, std::int64_t count) {
  if (!parts.fields().given("moe_layers_enum")) return mixture_layers(parts, count);
  static_cast<void>(parts.fields().first_given({"first_k_dense_replace"}));
  std::vector<bool> mixtures(static_cast<std::size_t>(count), false);
  std::int64_t number = -1;
  const std::string list = parts.fields().text("moe_layers_enum").value_or("") + ",";
  for (const char letter : list) {
    if (letter >= '0' && letter <= '9') {
      number = std::min<std::int64_t>(std::max<std::int64_t>(number, 0) * 10 + (letter - '0'),
                                      kLayers.most);
    } else {
      if (number >= 0 && number < count) mixtures[static_cast<std::size_t>(number)] = true;
      number = -1;
    }
  }
  return mixtures;
}

}  // namespace

// Every layer sees everything; queries pass through a narrow matrix, keys and values of one head
// serve them all.
void read_step3(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer dense;
  dense.attention = read_attention(parts);
  dense.attention.query_rank = parts.size({"share_q_dim"}, "queryRank", kWidth);
  domain::Layer mixture = dense;
  dense.feed_forward = read_feed_forward(parts);
  mixture.feed_forward.experts = read_experts(parts, {.has_shared_width = true});
  for (const bool is_mixture : step_mixtures(parts, count))
    add_layer(parts, is_mixture ? mixture : dense);
  read_rotary_dim(parts, dense.attention.head_dim);
}

void read_step3p7(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base;
  base.attention = read_attention(parts);
  base.attention.head_norm = domain::HeadNorm::Shared;
  // Their number stands in share_expert_dim already.
  static_cast<void>(parts.fields().given("n_shared_experts"));
  if (parts.flag("use_head_wise_attn_gate", "outputGate", false))
    base.attention.output_gate = domain::OutputGate::Head;
  domain::Attention local = base.attention;
  if (auto reader = parts.fields().mapping("attention_other_setting")) {
    const Fields fields(*reader);
    local.heads = fields.required_integer("num_attention_heads", kHeads);
    local.kv_heads = fields.required_integer("num_attention_groups", kHeads);
    local.head_dim = fields.integer("head_dim", kHeadDim).value_or(base.attention.head_dim);
    local.value_head_dim = local.head_dim;
  }
  domain::FeedForward mixed;
  mixed.experts = read_experts(parts, {.has_shared_width = true, .correction_bias = true});
  const domain::FeedForward dense = read_feed_forward(parts);
  const std::vector<bool> mixtures = step_mixtures(parts, count);
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    domain::Layer layer = base;
    if (slides[i]) layer.attention = local;
    layer.feed_forward = i < mixtures.size() && mixtures[i] ? mixed : dense;
    add_layer(parts, slides[i] ? sliding(layer, window.value_or(0)) : layer);
  }
  read_rotary_dim(parts, base.attention.head_dim);
  domain::Layer further = sliding(base, window.value_or(0));
  further.attention = local;
  further.attention.kind = domain::LayerKind::Sliding;
  further.attention.window_tokens = window.value_or(0);
  further.feed_forward = dense;
  add_multi_token(parts, further,
                  parts.fields().integer("num_nextn_predict_layers", kFewWindows).value_or(0),
                  {.holds_embedding = false});
  // Each of them has a head of its own.
  auto& prediction = parts.model().multi_token_prediction;
  for (std::int64_t i = 0; prediction && i < prediction->layers.front().count; ++i)
    prediction->extra.push_back({.name = "shared_head.output",
                                 .rows = parts.model().vocabulary,
                                 .columns = parts.model().hidden_size});
}

void read_mimo_v2(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer full;
  full.attention = read_attention(parts);
  full.attention.value_head_dim =
      parts.size_or({"v_head_dim"}, "valueHeadDim", kHeadDim, full.attention.head_dim);
  full.attention.has_sinks = parts.flag("add_full_attention_sink_bias", "", false);
  domain::Layer local = full;
  local.attention.heads =
      parts.size_or({"swa_num_attention_heads"}, "", kHeads, full.attention.heads);
  local.attention.kv_heads =
      parts.size_or({"swa_num_key_value_heads"}, "", kHeads, full.attention.kv_heads);
  local.attention.head_dim = parts.size_or({"swa_head_dim"}, "", kHeadDim, full.attention.head_dim);
  local.attention.value_head_dim =
      parts.size_or({"swa_v_head_dim"}, "", kHeadDim, full.attention.value_head_dim);
  local.attention.has_sinks = parts.flag("add_swa_attention_sink_bias", "", false);
  // attention_chunk_size repeats the window.
  static_cast<void>(parts.fields().given("attention_chunk_size"));
  const std::int64_t window =
      parts.size({"sliding_window_size", "sliding_window"}, "slidingWindow", kContextTokens);
  static_cast<void>(parts.fields().given("sliding_window"));
  local = sliding(local, window);
  domain::FeedForward mixed;
  mixed.experts = read_experts(parts, {.counts_shared = true, .correction_bias = true});
  const domain::FeedForward dense = read_feed_forward(parts);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  const std::vector<std::int64_t> pattern = layer_numbers(parts, "hybrid_layer_pattern", count);
  if (pattern.empty())
    parts.fields().complain("hybrid_layer_pattern", "config.json has no hybrid_layer_pattern",
                            "which layers slide cannot be known without it");
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    domain::Layer layer = pattern[i] != 0 ? local : full;
    layer.feed_forward = i < mixtures.size() && mixtures[i] ? mixed : dense;
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, full.attention.head_dim);
}

}  // namespace gpushape::catalog
