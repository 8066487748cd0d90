// DeepSeek-V4: a sliding window with compressed entries behind it, and hyper-connections in place
// of the residual sum. Source: the publisher's inference code as vLLM's deepseek_v4 follows it.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/dspark.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/hyper_connections.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFewCompressed{.least = 0, .most = 100};
// Only entries of so many tokens are searched by an indexer.
constexpr std::int64_t kIndexedRatio = 4;

std::vector<domain::ExtraTensor> hyper_head(std::int64_t streams, std::int64_t hidden_size) {
  return {
      {.name = "hc_head_fn", .rows = streams, .columns = streams * hidden_size, .is_float32 = true},
      {.name = "hc_head_base", .rows = streams, .is_float32 = true},
      {.name = "hc_head_scale", .rows = 1, .is_float32 = true}};
}

void add_further(const ConfigParts& parts, const domain::Layer& layer, std::int64_t streams) {
  const std::int64_t hidden_size = parts.model().hidden_size;
  const std::int64_t count =
      parts.fields().integer("num_nextn_predict_layers", kFewCompressed).value_or(0);
  if (auto drafter = read_dspark(parts, layer)) {
    std::ranges::copy(hyper_head(streams, hidden_size), std::back_inserter(drafter->extra));
    parts.model().multi_token_prediction = std::move(drafter);
    parts.from_config("multiTokenPrediction");
    return;
  }
  if (count <= 0) return;
  domain::MultiTokenPrediction prediction;
  prediction.layers.push_back({layer, count});
  for (std::int64_t i = 0; i < count; ++i) {
    for (const char* name : {"e_proj", "h_proj"})
      prediction.extra.push_back(
          {.name = name, .rows = hidden_size, .columns = hidden_size, .is_linear = true});
    for (const char* name : {"enorm", "hnorm", "norm"})
      prediction.extra.push_back({.name = name, .rows = hidden_size});
    std::ranges::copy(hyper_head(streams, hidden_size), std::back_inserter(prediction.extra));
  }
  // Copies of embedding and head lie in the base checkpoints, whose experts are fp8, and not in
  // those with fp4 experts: the Hub counts 292 021 347 282 values of DeepSeek-V4-Flash-Base and 158
  // 069 433 298 packed ones of DeepSeek-V4-Flash.
  prediction.holds_embedding = parts.root().text("expert_dtype").value_or("fp4") == "fp8";
  parts.model().multi_token_prediction = std::move(prediction);
  parts.from_config("multiTokenPrediction");
}

}  // namespace

domain::Attention read_compressed(const ConfigParts& parts) {
  domain::Attention attention;
  attention.kind = domain::LayerKind::Compressed;
  attention.heads = parts.size({"num_attention_heads"}, "attentionHeads", kHeads);
  attention.kv_heads = 1;
  parts.from_family("kvHeads");
  attention.head_dim = parts.size({"head_dim"}, "headDim", kHeadDim);
  attention.value_head_dim = attention.head_dim;
  attention.window_tokens = parts.size({"sliding_window"}, "slidingWindow", kContextTokens);
  attention.has_sinks = true;
  domain::Latent latent;
  latent.query_rank = parts.size({"q_lora_rank"}, "latent", kHiddenSize);
  latent.rope_dim = parts.size({"qk_rope_head_dim"}, "", kHeadDim);
  attention.latent = latent;
  domain::Compression compression;
  compression.output_rank = parts.size({"o_lora_rank"}, "compression", kHiddenSize);
  compression.output_groups = parts.size({"o_groups"}, "", kHeads);
  attention.compression = compression;
  static_cast<void>(parts.fields().given("num_key_value_heads"));
  return attention;
}

domain::Indexer read_entry_indexer(const ConfigParts& parts) {
  domain::Indexer indexer;
  indexer.heads = parts.size({"index_n_heads"}, "indexer", kHeads);
  indexer.head_dim = parts.size({"index_head_dim"}, "", kHeadDim);
  indexer.top_tokens = parts.fields().integer("index_topk", kContextTokens).value_or(0);
  return indexer;
}

void add_hyper_connections(domain::Layer& layer, std::int64_t streams, std::int64_t hidden_size) {
  const std::int64_t mixes = (2 + streams) * streams;
  for (const std::string half : {"hc_attn", "hc_ffn"}) {
    layer.extra.push_back({.name = half + "_fn",
                           .rows = mixes,
                           .columns = streams * hidden_size,
                           .is_float32 = true});
    layer.extra.push_back({.name = half + "_base", .rows = mixes, .is_float32 = true});
    layer.extra.push_back({.name = half + "_scale", .rows = 3, .is_float32 = true});
  }
}

void read_deepseek_v4(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base;
  base.attention = read_compressed(parts);
  base.feed_forward.experts = read_experts(parts, {.counts_shared = true, .correction_bias = true});
  const std::int64_t streams =
      parts.size_or({"hc_mult"}, "hyperConnections", {.least = 1, .most = 64}, 4);
  add_hyper_connections(base, streams, model.hidden_size);
  const domain::Indexer indexer = read_entry_indexer(parts);
  // One number a layer, and one more for each further layer where the publisher lists them.
  const std::vector<std::int64_t> ratios =
      parts.integers("compress_ratios", {.least = 0, .most = 1'000'000});
  if (ratios.size() < static_cast<std::size_t>(count))
    parts.fields().complain("compress_ratios", fmt::format("compress_ratios lists {} layers of {}",
                                                           ratios.size(), count));
  const std::int64_t hashed = parts.fields().integer("num_hash_layers", kFewCompressed).value_or(0);
  for (std::size_t i = 0; i < std::min(ratios.size(), static_cast<std::size_t>(count)); ++i) {
    domain::Layer layer = base;
    layer.attention.compression->ratio = ratios[i];
    if (ratios[i] == kIndexedRatio) layer.attention.indexer = indexer;
    // The first layers route by a table of the token's id and have no correction.
    if (static_cast<std::int64_t>(i) < hashed) {
      layer.feed_forward.experts->correction_bias = false;
      layer.extra.push_back({.name = "mlp.gate.tid2eid",
                             .rows = model.vocabulary,
                             .columns = layer.feed_forward.experts->active,
                             .is_float32 = true});  // 32-bit numbers of experts
    }
    add_layer(parts, layer);
  }
  for (domain::ExtraTensor& tensor : hyper_head(streams, model.hidden_size))
    model.extra.push_back(std::move(tensor));
  model.rope.rotary_dim = base.attention.latent->rope_dim;
  add_further(parts, base, streams);
}

}  // namespace gpushape::catalog
