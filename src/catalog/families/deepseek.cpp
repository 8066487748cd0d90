// Decoders with multi-head latent attention: DeepSeek-V2 (arXiv 2405.04434) and its heirs. Sources:
// DeepseekV2/V3 and GlmMoeDsa classes of transformers, DeepSeek's published inference code.
#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/latent.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kFewDeepseek{.least = 0, .most = 100};

std::optional<domain::Indexer> read_indexer(const ConfigParts& parts) {
  if (!parts.fields().given("index_n_heads")) return std::nullopt;
  domain::Indexer indexer;
  indexer.heads = parts.size({"index_n_heads"}, "indexer", kHeads);
  indexer.head_dim = parts.size({"index_head_dim"}, "", kHeadDim);
  indexer.top_tokens = parts.fields().integer("index_topk", kContextTokens).value_or(0);
  return indexer;
}

// V3 and later choose experts with a correction by expert; V2 and Mistral Small 4 do not.
bool corrects(const ConfigParts& parts, bool otherwise) {
  const auto method = parts.fields().text("topk_method");
  return method ? *method == "noaux_tc" : otherwise;
}

void read(const ConfigParts& parts, bool corrects_by_default, bool holds_embedding) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::Layer dense;
  dense.attention = read_latent_attention(parts);
  dense.attention.indexer = read_indexer(parts);
  domain::Layer mixture = dense;
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  mixture.feed_forward.experts = read_experts(
      parts, {.counts_shared = true, .correction_bias = corrects(parts, corrects_by_default)});
  dense.feed_forward = read_feed_forward(parts);
  const std::vector<std::string> indexers = layer_words(parts, "indexer_types", count);
  for (std::size_t i = 0; i < mixtures.size(); ++i) {
    domain::Layer layer = mixtures[i] ? mixture : dense;
    if (layer.attention.indexer && i < indexers.size())
      layer.attention.indexer->is_shared = indexers[i] == "shared";
    add_layer(parts, layer);
  }
  parts.model().rope.rotary_dim = dense.attention.latent->rope_dim;
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", kFewDeepseek).value_or(0);
  add_multi_token(parts, mixture, further, {.holds_embedding = holds_embedding});
}

}  // namespace

domain::Attention read_latent_attention(const ConfigParts& parts) {
  domain::Attention attention;
  attention.kind = domain::LayerKind::Latent;
  attention.heads = parts.size({"num_attention_heads"}, "attentionHeads", kHeads);
  // num_key_value_heads says nothing here: one latent serves all heads.
  attention.kv_heads = attention.heads;
  domain::Latent latent;
  latent.query_rank =
      parts.size_if({"q_lora_rank"}, "", {.least = 0, .most = kHiddenSize.most}).value_or(0);
  latent.kv_rank = parts.size({"kv_lora_rank"}, "latent", kHiddenSize);
  latent.rope_dim = parts.size({"qk_rope_head_dim"}, "", {.least = 0, .most = kHeadDim.most});
  const std::int64_t unrotated = parts.size({"qk_nope_head_dim"}, "headDim", kHeadDim);
  attention.head_dim = unrotated + latent.rope_dim;
  attention.value_head_dim =
      parts.size_or({"v_head_dim"}, "valueHeadDim", kHeadDim,
                    std::max<std::int64_t>(1, parts.model().hidden_size / attention.heads));
  attention.latent = latent;
  attention.qkv_bias = parts.flag("attention_bias", "qkvBias", false);
  attention.output_bias = attention.qkv_bias;
  static_cast<void>(parts.fields().first_given({"head_dim", "num_key_value_heads", "qk_head_dim"}));
  return attention;
}

void read_deepseek(ConfigParts& parts) {
  const std::string_view type = parts.family().model_type();
  const bool corrects_by_default = type != "deepseek_v2" && type != "mistral4";
  // The decoders of DeepSeek-VL2-tiny and DeepSeek-OCR: keys and values of every head are cached
  // (DeepseekForCausalLM of vLLM).
  if (!parts.flag("use_mla", "", true)) {
    read_mixture(parts,
                 {.counts_shared = true, .correction_bias = corrects(parts, corrects_by_default)});
    return;
  }
  read(parts, corrects_by_default, true);
}

// A.X K1: DeepSeek-V3 with a third norm in every layer, which dense ones do not use. Source: vLLM
// model_executor/models/AXK1.py.
void read_axk1(ConfigParts& parts) {
  read(parts, true, true);
  for (domain::LayerRun& run : parts.model().layers) run.layer.norms = 3;
  if (!parts.model().multi_token_prediction) return;
  for (domain::LayerRun& run : parts.model().multi_token_prediction->layers) run.layer.norms = 3;
}

// Sarvam 105B. Source: vLLM model_executor/models/sarvam.py.
void read_sarvam_latent(ConfigParts& parts) {
  read(parts, parts.flag("moe_router_enable_expert_bias", "", true), false);
}

// openPangu Ultra: norms on both sides of attention and network where the config says so. Source:
// vLLM model_executor/models/openpangu.py and openpangu_mtp.py.
void read_pangu_ultra(ConfigParts& parts) {
  read(parts, parts.flag("router_enable_expert_bias", "", false), true);
  if (!parts.flag("sandwich_norm", "norms", false)) return;
  for (domain::LayerRun& run : parts.model().layers) run.layer.norms = 4;
  if (!parts.model().multi_token_prediction) return;
  for (domain::LayerRun& run : parts.model().multi_token_prediction->layers) run.layer.norms = 4;
}

void read_glm_latent(ConfigParts& parts) {
  // GLM-4.7-Flash stores copies of embedding and head with its further layer, GLM-5 does not.
  read(parts, true, parts.family().model_type() == "glm4_moe_lite");
}

void read_minicpm3(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer;
  layer.attention = read_latent_attention(parts);
  layer.feed_forward = read_feed_forward(parts);
  const std::int64_t count = read_layer_count(parts);
  parts.model().layers.push_back({layer, count});
  parts.model().rope.rotary_dim = layer.attention.latent->rope_dim;
}

}  // namespace gpushape::catalog
