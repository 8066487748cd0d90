// LongCat-Flash (arXiv 2509.01322): every block attends twice, each time before a dense network;
// experts stand beside the first of the two, some of which hand tokens on as they are. Source:
// vLLM model_executor/models/longcat_flash.py and longcat_flash_mtp.py. Of LongCat-Flash-Chat the
// Hub counts 561,862,880,256, which these sizes give.
#include <algorithm>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/latent.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

// The layer for a further token is a dense one, and has a table of embeddings of its own.
void add_further(const ConfigParts& parts, const domain::Layer& layer) {
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(1);
  add_multi_token(parts, layer, further);
  const domain::Model& model = parts.model();
  if (further > 0)
    parts.model().multi_token_prediction->extra.push_back(
        {.name = "embed_tokens", .rows = model.vocabulary, .columns = model.hidden_size});
}

constexpr document::IntegerBounds kFewTables{.least = 1, .most = 1'000};

// LongCat-Flash-Lite (arXiv 2601.21204): for each length of n-grams so many tables, hashed into by
// sizes that lie two apart, and a projection of each. Source: the publisher's
// modeling_longcat_ngram.py.
void add_ngram_tables(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const std::int64_t ratio = parts.size({"ngram_vocab_size_ratio"}, "ngramTables", kFewTables);
  const std::int64_t neighbours =
      parts.size({"emb_neighbor_num"}, "", {.least = 2, .most = kFewTables.most});
  const std::int64_t splits = parts.size({"emb_split_num"}, "", kFewTables);
  const std::int64_t tables = splits * (neighbours - 1);
  const std::int64_t width = std::max<std::int64_t>(1, model.hidden_size / tables);
  // The sizes ratio x vocabulary + 1, + 3, + 5 … come to that much more for every table. They
  // stand with the first layer, whose rank has them, as tables of which a token reads a few rows.
  if (model.layers.empty()) return;
  model.layers.front().layer.extra.push_back({.name = "ngram_embeddings.embedders",
                                              .rows = tables * (ratio * model.vocabulary + tables),
                                              .columns = width,
                                              .is_dealt_out = true});
  model.extra.push_back(
      {.name = "model.ngram_projections", .rows = tables * model.hidden_size, .columns = width});
}

}  // namespace

void read_longcat_ngram(ConfigParts& parts) {
  read_longcat(parts);
  add_ngram_tables(parts);
}

void read_longcat(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::Layer dense;
  dense.attention = read_latent_attention(parts);
  dense.feed_forward = read_feed_forward(parts);
  domain::Layer mixture = dense;
  mixture.feed_forward.experts = read_experts(parts, {.correction_bias = true});
  // Rows of the router for experts without weights.
  const std::int64_t empty =
      parts.fields().integer("zero_expert_num", {.least = 0, .most = kExperts.most}).value_or(0);
  if (empty > 0) {
    mixture.extra.push_back({.name = "mlp.zero_gate", .rows = empty, .columns = hidden_size});
    mixture.extra.push_back({.name = "mlp.zero_gate.e_score_correction_bias", .rows = empty});
  }
  const std::int64_t count = parts.size({"num_layers", "num_hidden_layers"}, "layers", kLayers);
  for (std::int64_t i = 0; i < count; ++i) {
    add_layer(parts, mixture);
    add_layer(parts, dense);
  }
  parts.model().rope.rotary_dim = dense.attention.latent->rope_dim;
  add_further(parts, dense);
}

}  // namespace gpushape::catalog
