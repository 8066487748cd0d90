// GLM-5-Next (GLM-5.3-Flash): delta attention with a gate per channel, sparse latent attention
// without positions in every fourth layer, whose indexer keeps one key for several tokens, and
// streams of the residual. Source: Glm5NextConfig of transformers and its classes.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/hyper_connections.hpp"
#include "catalog/families/latent.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

domain::Recurrent read_channel_delta(const ConfigParts& parts) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Kda;
  mixer.key_heads = parts.size_or({"linear_num_heads"}, "recurrent", kHeads, 64);
  mixer.key_dim = parts.size_or({"linear_head_dim"}, "", kHeadDim, 128);
  mixer.convolution = parts.size_or({"linear_conv_kernel_dim"}, "", kKernel, 4);
  // Checkpoints have them one level down.
  if (auto reader = parts.fields().mapping("linear_attn_config")) {
    const Fields fields(*reader);
    mixer.key_heads = fields.integer("num_heads", kHeads).value_or(mixer.key_heads);
    mixer.key_dim = fields.integer("head_dim", kHeadDim).value_or(mixer.key_dim);
    mixer.convolution =
        fields.integer("short_conv_kernel_size", kKernel).value_or(mixer.convolution);
  }
  mixer.value_heads = mixer.key_heads;
  mixer.value_dim = mixer.key_dim;
  mixer.rank = mixer.key_dim;
  mixer.has_norm = true;
  return mixer;
}

void add_pooling_indexer(const ConfigParts& parts, domain::Layer& layer) {
  domain::Indexer indexer;
  indexer.heads = parts.size_or({"index_n_heads"}, "indexer", kHeads, 32);
  indexer.head_dim = parts.size_or({"index_head_dim"}, "", kHeadDim, 128);
  indexer.top_tokens = parts.size_or({"index_topk"}, "", kContextTokens, 2048);
  indexer.tokens_per_key = parts.size_or({"index_kpool"}, "", kContextTokens, 16);
  layer.extra.push_back({.name = "self_attn.indexer.index_kpool_compress_ape",
                         .rows = indexer.tokens_per_key,
                         .columns = indexer.head_dim});
  layer.extra.push_back({.name = "self_attn.indexer.index_kpool_compress_gate",
                         .rows = indexer.head_dim,
                         .columns = parts.model().hidden_size});
  layer.attention.indexer = indexer;
}

}  // namespace

void read_glm_next(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  model.rope = {};  // no positions at all
  const std::int64_t count = read_layer_count(parts);
  const std::int64_t streams =
      parts.size_or({"hc_mult"}, "hyperConnections", {.least = 1, .most = 64}, 4);
  domain::Layer delta = recurrent_layer(read_channel_delta(parts));
  add_hyper_connections(delta, streams, model.hidden_size);
  domain::Layer sparse;
  sparse.attention = read_latent_attention(parts);
  add_hyper_connections(sparse, streams, model.hidden_size);
  add_pooling_indexer(parts, sparse);
  domain::FeedForward mixed;
  mixed.experts = read_experts(parts, {.counts_shared = true, .correction_bias = true});
  const domain::FeedForward dense = read_feed_forward(parts);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  const std::vector<bool> linear = linear_layers(parts, count);
  for (std::size_t i = 0; i < linear.size(); ++i) {
    domain::Layer layer = linear[i] ? delta : sparse;
    layer.feed_forward = i < mixtures.size() && mixtures[i] ? mixed : dense;
    add_layer(parts, layer);
  }
  sparse.feed_forward = mixed;
  add_multi_token(
      parts, sparse,
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0));
}

}  // namespace gpushape::catalog
