// T5 (arXiv 1910.10683) and its kin: RMS norms, no biases, positions as a learned bias of the
// attention scores. With a decoder, or the encoder alone, as embedding models and image generators
// use it. mT5 is T5's second version with more words; UMT5 tells positions in every layer; LongT5's
// encoder may summarise blocks for all tokens to see; Switch routes every second layer's tokens to
// one expert. Sources: their configuration_*.py and modeling_*.py in transformers.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "catalog/families/decoder.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/tower_blocks.hpp"

namespace gpushape::catalog {
namespace {

// Nothing in a config bounds a text; 512 tokens is what the published ones were trained with.
constexpr std::int64_t kTrainedTokens = 512;
constexpr std::int64_t kBuckets = 32;  // of distances

domain::Attention read_t5_attention(const ConfigParts& parts) {
  domain::Attention attention;
  attention.heads = parts.size({"num_heads"}, "attentionHeads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = parts.size({"d_kv"}, "headDim", kHeadDim);
  attention.value_head_dim = attention.head_dim;
  return attention;
}

domain::FeedForward read_t5_feed_forward(const ConfigParts& parts) {
  domain::FeedForward feed_forward;
  feed_forward.width = parts.size({"d_ff"}, "feedForwardWidth", kWidth);
  feed_forward.gated =
      parts.fields().text("feed_forward_proj").value_or("relu").starts_with("gated");
  return feed_forward;
}

domain::ExtraTensor distances(const std::string& name, std::int64_t buckets, std::int64_t heads) {
  return {.name = name + ".relative_attention_bias", .rows = buckets, .columns = heads};
}

// The second of every so many layers is a mixture.
struct Switches {
  std::int64_t experts = 0;
  std::int64_t active = 1;
  bool router_bias = false;
  std::int64_t step = 0;  ///< 0 for none

  [[nodiscard]] bool at(std::int64_t layer) const {
    return step > 0 && (step == 1 || layer % step == 1);
  }
};

// What the config says of the steps between them is taken; else num_layers / num_sparse_…_layers,
// as SwitchTransformersConfig does. No step is no mixture.
Switches read_switches(const ConfigParts& parts, const std::string& side, std::int64_t layers) {
  if (parts.model().family != "switch_transformers") return {};
  constexpr document::IntegerBounds kCount{.least = 0, .most = kLayers.most};
  constexpr std::int64_t kSparseOfClass = 3;
  const Fields& fields = parts.fields();
  const std::int64_t sparse =
      fields.integer("num_sparse_" + side + "_layers", kCount).value_or(kSparseOfClass);
  const std::int64_t step = sparse > 0 ? layers / sparse : layers;
  return {.experts = parts.size_or({"num_experts"}, "experts", kExperts, 8),
          .active = parts.size_or({"num_selected_experts"}, "activeExperts", kExperts, 1),
          .router_bias = fields.boolean("router_bias").value_or(false),
          .step = fields.integer(side + "_sparse_step", kCount).value_or(step)};
}

domain::Layer mixture_of(domain::Layer layer, const Switches& switches) {
  layer.feed_forward.experts = domain::Experts{.count = switches.experts,
                                               .active = switches.active,
                                               .width = layer.feed_forward.width,
                                               .is_gated = layer.feed_forward.gated,
                                               .router_bias = switches.router_bias};
  layer.feed_forward.width = 0;
  return layer;
}

// Values of an encoder's experts and routers beyond those of dense networks.
std::int64_t switch_values(const Switches& switches, std::int64_t layers, std::int64_t hidden,
                           std::int64_t width) {
  std::int64_t values = 0;
  // More than any model has is refused by its total, which must not run over before.
  for (std::int64_t i = 0; i < layers && values <= kMostParameters; ++i) {
    if (switches.at(i))
      values += (switches.experts - 1) * 2 * hidden * width +
                linear_values(hidden, switches.experts, switches.router_bias);
  }
  return values;
}

// LongT5's second kind of encoder attends to sums of blocks as well: a norm, and distances to them.
std::int64_t summary_values(const ConfigParts& parts, std::int64_t layers, std::int64_t buckets,
                            std::int64_t heads) {
  const std::string word = parts.fields().text("encoder_attention_type").value_or("local");
  if (word == "local") return 0;
  if (word != "transient-global")
    parts.fields().complain("encoder_attention_type",
                            fmt::format("encoder_attention_type '{}' is not understood", word),
                            "known are local and transient-global");
  return layers * parts.model().hidden_size + buckets * heads;
}

domain::Tower encoder_of(const domain::Model& model, const domain::Layer& layer,
                         std::int64_t layers, std::int64_t distances) {
  domain::Tower tower{.kind = domain::TowerKind::Encoder,
                      .hidden_size = model.hidden_size,
                      .layers = layers,
                      .heads = layer.attention.heads,
                      .width = layer.feed_forward.width,
                      .gated = layer.feed_forward.gated};
  const std::int64_t block = values_of({.hidden = model.hidden_size,
                                        .width = tower.width,
                                        .inner = layer.attention.heads * layer.attention.head_dim,
                                        .attention_bias = false,
                                        .network_bias = false,
                                        .is_gated = tower.gated,
                                        .norm_values = 2 * model.hidden_size});
  tower.parameters = layers * block + distances * tower.heads + model.hidden_size;
  tower.inner_tokens = model.max_context_tokens;
  tower.output_tokens = model.max_context_tokens;
  return tower;
}

}  // namespace

void read_t5(ConfigParts& parts) {
  domain::Model& model = parts.model();
  read_sizes(parts);
  model.max_context_tokens =
      parts.size_or({"n_positions"}, "contextTokens", kContextTokens, kTrainedTokens);
  const std::int64_t buckets =
      parts.fields().integer("relative_attention_num_buckets", kWidth).value_or(kBuckets);
  const bool is_umt5 = model.family == "umt5";
  domain::Layer layer;
  layer.attention = read_t5_attention(parts);
  layer.feed_forward = read_t5_feed_forward(parts);
  if (model.family == "switch_transformers") layer.feed_forward.gated = false;
  const std::int64_t layers = read_layer_count(parts);
  const std::int64_t heads = layer.attention.heads;
  static_cast<void>(parts.fields().given("is_encoder_decoder"));
  const Switches encoder_switches = read_switches(parts, "encoder", layers);
  const std::int64_t summaries =
      model.family == "longt5" ? summary_values(parts, layers, buckets, heads) : 0;
  if (model.architecture.ends_with("EncoderModel")) {
    layer.attention.kind = domain::LayerKind::None;
    if (is_umt5) layer.extra.push_back(distances("layer", buckets, heads));
    for (std::int64_t i = 0; i < layers; ++i)
      add_layer(parts, encoder_switches.at(i) ? mixture_of(layer, encoder_switches) : layer);
    if (!is_umt5) model.extra.push_back(distances("encoder", buckets, heads));
    if (summaries > 0) model.extra.push_back({.name = "encoder.summaries", .rows = summaries});
    model.has_head = false;
    return;
  }
  domain::Tower tower = encoder_of(model, layer, layers, is_umt5 ? layers * buckets : buckets);
  tower.parameters +=
      summaries + switch_values(encoder_switches, layers, model.hidden_size, tower.width);
  model.towers.push_back(tower);
  layer.cross_attention = layer.attention;
  layer.cross_attention->kind = domain::LayerKind::Cross;
  layer.cross_attention->encoder_tokens = model.max_context_tokens;
  layer.norms = 3;
  if (is_umt5) layer.extra.push_back(distances("layer", buckets, heads));
  const std::int64_t count = parts.fields().integer("num_decoder_layers", kLayers).value_or(layers);
  const Switches switches = read_switches(parts, "decoder", count);
  for (std::int64_t i = 0; i < count; ++i)
    add_layer(parts, switches.at(i) ? mixture_of(layer, switches) : layer);
  if (!is_umt5) model.extra.push_back(distances("decoder", buckets, heads));
}

}  // namespace gpushape::catalog
