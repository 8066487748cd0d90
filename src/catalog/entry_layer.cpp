#include "catalog/entry_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpushape::catalog {
namespace {

using domain::Attention;
using domain::Compression;
using domain::Experts;
using domain::FeedForward;
using domain::Indexer;
using domain::Latent;
using domain::Layer;
using domain::Recurrent;

constexpr int kMostNorms = 64;
constexpr int kMostBits = 64;

template <class Fields>
void visit_attention(Fields& fields) {
  fields.choice("attention", &Attention::kind);
  fields.integer("attentionHeads", &Attention::heads, up_to(kHeads));
  fields.integer("kvHeads", &Attention::kv_heads, up_to(kHeads));
  fields.integer("headDim", &Attention::head_dim, up_to(kHeadDim));
  fields.integer_like("valueHeadDim", &Attention::value_head_dim, &Attention::head_dim,
                      up_to(kHeadDim));
  fields.integer("window", &Attention::window_tokens, up_to(kContextTokens));
  fields.boolean("qkvBias", &Attention::qkv_bias);
  fields.boolean("keyHasBias", &Attention::key_has_bias);
  fields.boolean("outputBias", &Attention::output_bias);
  fields.choice("headNorm", &Attention::head_norm);
  fields.choice("outputGate", &Attention::output_gate);
  fields.boolean("sinks", &Attention::has_sinks);
  fields.boolean("valueIsKey", &Attention::value_is_key);
  fields.boolean("sharesCache", &Attention::shares_cache);
  fields.boolean("borrowsWeights", &Attention::borrows_weights);
  fields.integer("queryRank", &Attention::query_rank, up_to(kWidth));
  fields.integer("queryExperts", &Attention::query_experts, up_to(kWidth));
  fields.part("latent", &Attention::latent, [](auto& part) {
    part.integer("queryRank", &Latent::query_rank, up_to(kWidth));
    part.integer("kvRank", &Latent::kv_rank, up_to(kWidth));
    part.integer("ropeDim", &Latent::rope_dim, up_to(kHeadDim));
  });
  fields.part("indexer", &Attention::indexer, [](auto& part) {
    part.integer("heads", &Indexer::heads, up_to(kHeads));
    part.integer("headDim", &Indexer::head_dim, up_to(kHeadDim));
    part.integer("topTokens", &Indexer::top_tokens, up_to(kContextTokens));
    part.boolean("shared", &Indexer::is_shared);
    part.boolean("borrowsKeys", &Indexer::borrows_keys);
    part.integer("tokensPerKey", &Indexer::tokens_per_key, up_to(kContextTokens));
  });
  fields.part("compression", &Attention::compression, [](auto& part) {
    part.integer("ratio", &Compression::ratio, up_to(kContextTokens));
    part.integer("outputRank", &Compression::output_rank, up_to(kWidth));
    part.integer("outputGroups", &Compression::output_groups, up_to(kHeads));
    part.boolean("poolsGroups", &Compression::pools_groups);
    part.boolean("shared", &Compression::is_shared);
  });
  fields.integer("encoderTokens", &Attention::encoder_tokens, up_to(kContextTokens));
}

template <class Fields>
void visit_recurrent(Fields& part) {
  part.choice("kind", &Recurrent::kind);
  part.integer("keyHeads", &Recurrent::key_heads, up_to(kHeads));
  part.integer("keyDim", &Recurrent::key_dim, up_to(kHeadDim));
  part.integer("valueHeads", &Recurrent::value_heads, up_to(kHeads));
  part.integer("valueDim", &Recurrent::value_dim, up_to(kHeadDim));
  part.integer("inner", &Recurrent::inner, up_to(kWidth));
  part.integer("groups", &Recurrent::groups, up_to(kHeads));
  part.integer("state", &Recurrent::state, up_to(kWidth));
  part.integer("rank", &Recurrent::rank, up_to(kWidth));
  part.integer("convolution", &Recurrent::convolution, up_to(kHeadDim));
  part.boolean("convolutionBias", &Recurrent::convolution_bias);
  part.boolean("projectionBias", &Recurrent::projection_bias);
  part.boolean("norm", &Recurrent::has_norm);
  part.boolean("fullRankGate", &Recurrent::full_rank_gate);
  part.integer("stateBits", &Recurrent::state_bits, {.least = 1, .most = kMostBits});
  part.integer("chunk", &Recurrent::chunk, kChunk);
}

template <class Fields>
void visit_experts(Fields& part) {
  part.integer("count", &Experts::count, up_to(kWidth));
  part.integer("active", &Experts::active, up_to(kWidth));
  part.integer("width", &Experts::width, up_to(kWidth));
  part.integer("sharedWidth", &Experts::shared_width, up_to(kWidth));
  part.integer("latentWidth", &Experts::latent_width, up_to(kWidth));
  part.boolean("gated", &Experts::is_gated);
  part.boolean("sharedGate", &Experts::shared_gate);
  part.boolean("bias", &Experts::bias);
  part.boolean("routerBias", &Experts::router_bias);
  part.boolean("correctionBias", &Experts::correction_bias);
}

template <class Fields>
void visit_layer(Fields& fields) {
  fields.member(&Layer::attention, [](auto& attention) { visit_attention(attention); });
  fields.part("recurrent", &Layer::recurrent, [](auto& part) { visit_recurrent(part); });
  fields.part("crossAttention", &Layer::cross_attention, [](auto& part) { visit_attention(part); });
  fields.member(&Layer::feed_forward, [](auto& inner) {
    inner.integer("feedForwardWidth", &FeedForward::width, up_to(kWidth));
    inner.boolean("feedForwardGated", &FeedForward::gated);
    inner.boolean("feedForwardBias", &FeedForward::bias);
    inner.part("experts", &FeedForward::experts, [](auto& part) { visit_experts(part); });
  });
  fields.integer("norms", &Layer::norms, {.least = 0, .most = kMostNorms});
  fields.boolean("normBias", &Layer::norm_bias);
  fields.tensors("layerTensors", &Layer::extra);
  fields.integer("shiftedValues", &Layer::shifted_values, up_to(kWidth));
}

std::string mixer_word(const Layer& layer) {
  const domain::LayerKind kind = layer.attention.kind;
  const bool has_attention =
      kind != domain::LayerKind::None && kind != domain::LayerKind::Recurrent;
  if (!layer.recurrent) return has_attention ? std::string(name_of(kind)) : "";
  const std::string_view recurrent = name_of(layer.recurrent->kind);
  return has_attention ? fmt::format("{}-{}", name_of(kind), recurrent) : std::string(recurrent);
}

std::string inner_word(const Layer& layer) {
  if (layer.feed_forward.experts) return "experts";
  return layer.feed_forward.width > 0 ? "dense" : "";
}

std::string joined(const std::string& mixer, const std::string& inner) {
  if (mixer.empty() && inner.empty()) return "empty";
  return mixer + (mixer.empty() || inner.empty() ? "" : "-") + inner;
}

// What tells the layers apart: the mixer, what follows it, or both; then a number.
void name_types(std::vector<LayerType>& types) {
  const auto differ = [&](auto word) {
    return std::ranges::any_of(types, [&](const LayerType& type) {
      return word(type.layer) != word(types.front().layer);
    });
  };
  const bool mixers_differ = differ(mixer_word);
  const bool inners_differ = differ(inner_word);
  for (LayerType& type : types) {
    const std::string mixer = mixer_word(type.layer);
    const std::string inner = inner_word(type.layer);
    if (mixers_differ == inners_differ) {
      type.name = joined(mixer, inner);
    } else {
      type.name = mixers_differ ? joined(mixer, "") : joined("", inner);
    }
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string name = types[i].name;
    int number = 1;
    for (std::size_t j = i + 1; j < types.size(); ++j) {
      if (types[j].name == name) types[j].name = fmt::format("{}-{}", name, ++number);
    }
  }
}

}  // namespace

void read_layer_fields(const Holder& holder, Layer& layer) {
  FieldReader<Layer> fields(holder, layer);
  visit_layer(fields);
}

void write_layer_fields(document::Node& node, const Layer& layer, const Layer& base) {
  FieldWriter<Layer> fields(node, layer, base);
  visit_layer(fields);
}

std::vector<LayerType> layer_types_of(const domain::Model& model) {
  std::vector<LayerType> types;
  const auto collect = [&](std::span<const domain::LayerRun> runs) {
    for (const domain::LayerRun& run : runs) {
      if (std::ranges::find(types, run.layer, &LayerType::layer) == types.end())
        types.push_back({{}, run.layer});
    }
  };
  collect(model.layers);
  if (model.multi_token_prediction) collect(model.multi_token_prediction->layers);
  if (!types.empty()) name_types(types);
  return types;
}

std::vector<TypeRun> type_runs(std::span<const domain::LayerRun> runs,
                               std::span<const LayerType> types) {
  std::vector<TypeRun> result;
  for (const domain::LayerRun& run : runs) {
    const auto found = std::ranges::find(types, run.layer, &LayerType::layer);
    const auto type = static_cast<std::size_t>(found - types.begin());
    if (result.empty() || result.back().type != type) result.push_back({type, 0});
    result.back().count += run.count;
  }
  return result;
}

}  // namespace gpushape::catalog
