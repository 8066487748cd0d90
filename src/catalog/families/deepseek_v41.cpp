// DeepSeek-V4.1: windows as in DeepSeek-V4, but few layers make entries, which those behind them
// read; tables of n-grams beside two layers; and layers that predict further tokens with fewer
// experts. Source: vLLM vllm/models/deepseek_v4_1 (attention.py, compressor.py, common/engram.py,
// nvidia/dspark.py, nvidia/model.py).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/dspark.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/hyper_connections.hpp"
#include "catalog/families/image_parts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kRatio{.least = 0, .most = 1'000};
constexpr document::IntegerBounds kLayerId{.least = 0, .most = kLayers.most};
constexpr document::IntegerBounds kTableRows{.least = 1, .most = 100'000'000'000};
constexpr document::IntegerBounds kNgram{.least = 2, .most = 16};
constexpr document::IntegerBounds kStreams{.least = 1, .most = 64};

constexpr std::string_view kImageCorrection = "mlp.gate.bias_vl";

bool is_among(const std::vector<std::int64_t>& layers, std::int64_t layer) {
  return std::ranges::find(layers, layer) != layers.end();
}

/// Which layers make entries and which choose among them.
struct Topology {
  std::vector<std::int64_t> ratios;  ///< of the entries that a layer reads; 0 for none
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> choosers;
};

Topology read_topology(const ConfigParts& parts, std::int64_t count) {
  Topology topology{.ratios = parts.integers("compress_ratios", kRatio),
                    .sources = parts.integers("kv_source_layer_ids", kLayerId),
                    .choosers = parts.integers("index_source_layer_ids", kLayerId)};
  if (topology.ratios.size() < static_cast<std::size_t>(count))
    parts.fields().complain("compress_ratios", fmt::format("compress_ratios lists {} layers of {}",
                                                           topology.ratios.size(), count));
  topology.ratios.resize(static_cast<std::size_t>(count));
  std::int64_t first = 0;
  while (first < count && topology.ratios[static_cast<std::size_t>(first)] == 0) ++first;
  if (first < count && !is_among(topology.sources, first))
    parts.fields().complain(
        "kv_source_layer_ids",
        fmt::format("layer {} reads entries that no layer before it makes", first));
  return topology;
}

domain::Attention attention_of(const domain::Attention& base, const domain::Indexer& indexer,
                               const Topology& topology, std::int64_t layer) {
  domain::Attention attention = base;
  domain::Compression& compression = *attention.compression;
  compression.ratio = topology.ratios[static_cast<std::size_t>(layer)];
  if (compression.ratio == 0) return attention;
  compression.is_shared = !is_among(topology.sources, layer);
  attention.indexer = indexer;
  attention.indexer->is_shared = !is_among(topology.choosers, layer);
  attention.indexer->borrows_keys = !attention.indexer->is_shared && compression.is_shared;
  return attention;
}

/// A table of rows for n-grams, and what its rows become: a key for each stream and a value.
void add_engrams(const ConfigParts& parts, std::vector<domain::Layer>& layers,
                 std::int64_t streams) {
  const std::vector<std::int64_t> numbers = parts.integers("engram_layer_ids", kLayerId);
  if (numbers.empty()) return;
  const std::vector<std::int64_t> rows = parts.integers("engram_num_embeddings", kTableRows);
  if (rows.size() != numbers.size()) {
    parts.fields().complain("engram_num_embeddings",
                            fmt::format("engram_num_embeddings lists {} tables for {} layers",
                                        rows.size(), numbers.size()));
    return;
  }
  const std::int64_t width = parts.size({"engram_head_dim"}, "ngramTables", kWidth);
  const std::int64_t columns = (parts.size({"engram_max_ngram_size"}, "", kNgram) - 1) *
                               parts.size({"engram_n_heads"}, "", kHeads);
  const std::int64_t hidden = parts.model().hidden_size;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= static_cast<std::int64_t>(layers.size())) continue;
    auto& extra = layers[static_cast<std::size_t>(numbers[i])].extra;
    extra.push_back(
        {.name = "engram.embed", .rows = rows[i], .columns = width, .is_dealt_out = true});
    extra.push_back({.name = "engram.wkv",
                     .rows = (streams + 1) * hidden,
                     .columns = columns * width,
                     .is_linear = true});
    extra.push_back({.name = "engram.q_weight", .rows = streams, .columns = hidden});
    extra.push_back({.name = "engram.k_weight", .rows = streams, .columns = hidden});
  }
}

void add_drafter(const ConfigParts& parts, const domain::Layer& layer) {
  static_cast<void>(parts.fields().given("num_nextn_predict_layers"));  // runs of the drafter
  auto prediction = read_dspark(parts, layer);
  if (!prediction) return;
  domain::Layer& drafting = prediction->layers.front().layer;
  for (domain::ExtraTensor& tensor : drafting.extra) {
    if (tensor.name == kImageCorrection) tensor.rows = drafting.feed_forward.experts->count;
  }
  parts.model().multi_token_prediction = std::move(prediction);
  parts.from_config("multiTokenPrediction");
}

}  // namespace

void read_deepseek_v41(ConfigParts& parts) {
  read_outer(parts);
  domain::Model& model = parts.model();
  const std::int64_t count = read_layer_count(parts);
  domain::Layer base;
  base.attention = read_compressed(parts);
  base.attention.compression->pools_groups = true;
  base.feed_forward.experts = read_experts(parts, {.counts_shared = true, .correction_bias = true});
  // A second correction for what stands for images.
  base.extra.push_back({.name = std::string(kImageCorrection),
                        .rows = base.feed_forward.experts->count,
                        .is_float32 = true});
  const std::int64_t streams = parts.size_or({"hc_mult"}, "hyperConnections", kStreams, 4);
  add_hyper_connections(base, streams, model.hidden_size);
  const domain::Indexer indexer = read_entry_indexer(parts);
  const Topology topology = read_topology(parts, count);
  std::vector<domain::Layer> layers(static_cast<std::size_t>(count), base);
  for (std::int64_t i = 0; i < count; ++i)
    layers[static_cast<std::size_t>(i)].attention =
        attention_of(base.attention, indexer, topology, i);
  add_engrams(parts, layers, streams);
  for (const domain::Layer& layer : layers) add_layer(parts, layer);
  model.rope.rotary_dim = base.attention.latent->rope_dim;
  add_drafter(parts, base);
}

// An image transformer without a class token, of any grid, whose patches are merged and projected.
// Source: TensorRT-LLM tensorrt_llm/_torch/models/deepseek_v41_vision.py, whose biases stand on
// attention and patches alone.
void add_deepseek_v41_vision(ConfigParts& parts) {
  auto reader = parts.root().mapping("vision_config");
  if (!reader) return;
  const Fields vision(*reader);
  domain::Tower tower =
      read_sizes(vision, {.hidden_size = 1024, .layers = 32, .heads = 16, .width = 2816});
  if (tower.layers == 0) return;
  const std::int64_t hidden = tower.hidden_size;
  const std::int64_t patch = vision.integer("patch_size", kPatchEdge).value_or(14);
  const std::int64_t edge = vision.integer("downsample_ratio", kMergeEdge).value_or(3);
  const std::int64_t most = vision.integer("max_image_tokens", kContextTokens).value_or(1024);
  const std::int64_t text = parts.model().hidden_size;
  tower.parameters = linear_values(kColours * patch * patch, hidden) +
                     tower.layers * values_of({.hidden = hidden,
                                               .width = tower.width,
                                               .network_bias = false,
                                               .is_gated = true,
                                               .norm_values = 2 * hidden}) +
                     hidden + linear_values(edge * edge * hidden, text) + linear_values(text, text);
  tower.inner_tokens = most * edge * edge;
  tower.output_tokens = most;
  tower.input_values = tower.inner_tokens * kColours * patch * patch;
  add_tower(parts, tower);
}

}  // namespace gpushape::catalog
