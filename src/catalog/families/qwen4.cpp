// Qwen4-Exp (Qwen3.8-Flash-Next): gated delta layers and sparse attention in every fourth, streams
// of the residual that hyper-connections mix, and hashed embeddings of n-grams in one layer or a
// few. Source: Qwen4ExpConfig of transformers and its classes.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/qwen_towers.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kStreams{.least = 2, .most = 64};
// Bounds of what is searched for primes.
constexpr document::IntegerBounds kNgram{.least = 2, .most = 5};
constexpr document::IntegerBounds kNgramHeads{.least = 1, .most = 32};
constexpr document::IntegerBounds kTableRows{.least = 2, .most = 100'000'000};
constexpr std::size_t kMostTables = 64;

struct Streams {
  std::int64_t width = 0;  // of all together
  std::int64_t count = 0;
  std::int64_t rank = 0;
};

Streams read_streams(const ConfigParts& parts) {
  const std::int64_t count = parts.size_or({"hc_count"}, "hyperConnections", kStreams, 4);
  return {.width = count * parts.model().hidden_size,
          .count = count,
          .rank = parts.size_or({"hc_lowrank"}, "", kWidth, 320)};
}

// What mixes the streams to one before a half of a layer, and says what each takes of its output.
void add_mixer(std::vector<domain::ExtraTensor>& extra, const std::string& name,
               const Streams& streams, bool injects) {
  extra.push_back({.name = name + ".hc_norm", .rows = streams.width});
  extra.push_back({.name = name + ".input_mix_weight_down",
                   .rows = streams.rank,
                   .columns = streams.width,
                   .is_linear = true});
  extra.push_back({.name = name + ".input_mix_weight_up",
                   .rows = streams.width,
                   .columns = streams.rank,
                   .is_linear = true});
  if (injects)
    extra.push_back(
        {.name = name + ".block_inject_weight", .rows = streams.count, .columns = streams.width});
}

bool is_prime(std::int64_t number) {
  if (number % 2 == 0) return number == 2;
  for (std::int64_t divisor = 3; divisor * divisor <= number; divisor += 2) {
    if (number % divisor == 0) return false;
  }
  return true;
}

/// Embeddings of n-grams: tables of prime lengths, one for each head.
struct Ngrams {
  std::int64_t longest = 0;
  std::int64_t heads = 0;  // of all n-grams
  std::int64_t width = 0;
  std::int64_t kernel = 0;
  std::int64_t next_prime = 0;
  std::int64_t row_unit = 1;
  std::vector<std::int64_t> layers;  // counted from one
};

Ngrams read_ngrams(const ConfigParts& parts) {
  Ngrams ngrams;
  ngrams.layers = parts.integers("ple_layer_ids", kLayers);
  std::ranges::sort(ngrams.layers);
  const auto repeated = std::ranges::unique(ngrams.layers);
  ngrams.layers.erase(repeated.begin(), repeated.end());
  if (ngrams.layers.size() > kMostTables) {
    parts.fields().complain("ple_layer_ids",
                            fmt::format("ple_layer_ids lists {} layers, more than {}",
                                        ngrams.layers.size(), kMostTables));
    ngrams.layers.clear();
  }
  if (ngrams.layers.empty()) return ngrams;
  ngrams.longest = parts.size_or({"ngram_size"}, "", kNgram, 3);
  // A size that could not be read is complained of already, and stands at 1.
  ngrams.heads = std::max<std::int64_t>(1, ngrams.longest - 1) *
                 parts.size_or({"heads_per_ngram"}, "", kNgramHeads, 8);
  ngrams.width = parts.size_or({"ple_embed_dim"}, "", kWidth, parts.model().hidden_size);
  ngrams.kernel = parts.size_or({"ple_conv_kernel_size"}, "", kKernel, 4);
  ngrams.next_prime = parts.size_or({"ngram_vocab_size_base"}, "", kTableRows, 20'000'000);
  ngrams.row_unit = parts.size_or({"make_ngram_vocab_size_divisible_by"}, "", kTableRows, 128);
  if (ngrams.width % ngrams.heads != 0)
    parts.fields().complain("ple_embed_dim",
                            fmt::format("ple_embed_dim {} is not a multiple of the {} heads of "
                                        "n-grams",
                                        ngrams.width, ngrams.heads));
  return ngrams;
}

// Every table takes the next primes.
std::int64_t next_table_rows(Ngrams& ngrams) {
  std::int64_t rows = 0;
  for (std::int64_t head = 0; head < ngrams.heads; ++head) {
    while (!is_prime(ngrams.next_prime)) ++ngrams.next_prime;
    rows += ngrams.next_prime++;
  }
  return (rows + ngrams.row_unit - 1) / ngrams.row_unit * ngrams.row_unit;
}

void add_ngrams(domain::Layer& layer, Ngrams& ngrams, const Streams& streams,
                std::int64_t hidden_size) {
  auto& extra = layer.extra;
  extra.push_back({.name = "ple.ple_embedding.ngram_embedding",
                   .rows = next_table_rows(ngrams),
                   .columns = ngrams.width / ngrams.heads,
                   .is_dealt_out = true});
  extra.push_back(
      {.name = "ple.key_proj", .rows = streams.width, .columns = ngrams.width, .is_linear = true});
  extra.push_back(
      {.name = "ple.value_proj", .rows = hidden_size, .columns = ngrams.width, .is_linear = true});
  for (const char* name : {"ple.norm_key", "ple.norm_query", "ple.norm_conv"})
    extra.push_back({.name = name, .rows = streams.width});
  extra.push_back({.name = "ple.conv1d", .rows = streams.width, .columns = ngrams.kernel});
  layer.shifted_values = (ngrams.kernel - 1) * ngrams.longest * streams.width;
}

domain::Indexer read_indexer(const ConfigParts& parts) {
  domain::Indexer indexer;
  indexer.heads = parts.size({"indexer_n_heads"}, "indexer", kHeads);
  indexer.head_dim = parts.size({"indexer_head_dim"}, "", kHeadDim);
  indexer.top_tokens = parts.size({"indexer_budget"}, "", kContextTokens);
  indexer.tokens_per_key = parts.size({"indexer_compress_ratio"}, "", kContextTokens);
  return indexer;
}

void add_further(const ConfigParts& parts, const domain::Layer& layer, const Streams& streams) {
  const std::int64_t count =
      parts.fields().integer("mtp_num_hidden_layers", {.least = 0, .most = 100}).value_or(1);
  if (count == 0) return;
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::MultiTokenPrediction prediction;
  prediction.layers.push_back({layer, count});
  for (const char* name : {"fc_embedding", "fc_hidden"})
    prediction.extra.push_back(
        {.name = name, .rows = hidden_size, .columns = hidden_size, .is_linear = true});
  prediction.extra.push_back({.name = "pre_fc_norm_embedding", .rows = hidden_size});
  prediction.extra.push_back({.name = "pre_fc_norm_hidden", .rows = streams.width});
  add_mixer(prediction.extra, "hyper_connection_mixer", streams, false);
  parts.model().multi_token_prediction = std::move(prediction);
  parts.from_config("multiTokenPrediction");
}

}  // namespace

void read_qwen4(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  model.has_final_norm = false;  // the last mixer has one
  const std::int64_t count = read_layer_count(parts);
  const Streams streams = read_streams(parts);
  domain::Layer full;
  full.norms = 0;
  full.attention = read_attention(parts);
  full.attention.output_gate = domain::OutputGate::Value;
  full.attention.indexer = read_indexer(parts);
  full.feed_forward.experts = read_experts(parts, {.has_shared_width = true, .shared_gate = true});
  add_mixer(full.extra, "attn_hyper_connection", streams, true);
  add_mixer(full.extra, "mlp_hyper_connection", streams, true);
  domain::Layer linear = full;
  linear.attention = {};
  linear.attention.kind = domain::LayerKind::Recurrent;
  linear.recurrent = read_gated_delta(parts);
  Ngrams ngrams = read_ngrams(parts);
  std::int64_t number = 0;
  for (const bool is_linear : linear_layers(parts, count)) {
    domain::Layer layer = is_linear ? linear : full;
    if (std::ranges::binary_search(ngrams.layers, ++number))
      add_ngrams(layer, ngrams, streams, model.hidden_size);
    add_layer(parts, layer);
  }
  add_mixer(model.extra, "hyper_connection_mixer", streams, false);
  read_rotary_dim(parts, full.attention.head_dim);
  add_further(parts, full, streams);
}

void add_qwen4_vision(ConfigParts& parts) {
  if (auto reader = parts.root().mapping("vision_config"))
    add_tower(parts, qwen3_tower(Fields(*reader), parts.model().hidden_size, 0));
}

}  // namespace gpushape::catalog
