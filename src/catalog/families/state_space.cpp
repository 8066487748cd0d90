// State space models and hybrids of them with attention: Mamba, Mamba-2, Jamba, Bamba, Granite 4,
// Falcon-H1. Sources: the families' classes in transformers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "catalog/families/decoder.hpp"
#include "catalog/families/experts.hpp"
#include "catalog/families/readers.hpp"
#include "catalog/families/state.hpp"

namespace gpushape::catalog {
namespace {

// "auto" is a sixteenth of the hidden size (Mamba's own code).
std::int64_t read_rank(const ConfigParts& parts, FieldNames names) {
  const std::string_view field = parts.fields().first_given(names);
  const document::Node* node = field.empty() ? nullptr : parts.fields().node(field);
  if (node == nullptr || node->is(document::Node::Kind::String))
    return (parts.model().hidden_size + 15) / 16;
  return parts.fields().integer(field, kWidth).value_or(1);
}

domain::Recurrent read_mamba2_mixer(const ConfigParts& parts) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Mamba2;
  const std::int64_t hidden_size = parts.model().hidden_size;
  const std::int64_t expand = parts.size_or({"mamba_expand", "expand"}, "", kKernel, 2);
  const std::int64_t inner =
      parts.size_if({"mamba_d_ssm"}, "", kWidth).value_or(expand * hidden_size);
  mixer.value_heads = parts.size({"mamba_n_heads", "num_heads"}, "recurrent", kHeads);
  const std::string_view dim_field = parts.fields().first_given({"mamba_d_head", "head_dim"});
  const document::Node* dim = dim_field.empty() ? nullptr : parts.fields().node(dim_field);
  mixer.value_dim = dim == nullptr || dim->is(document::Node::Kind::String)
                        ? std::max<std::int64_t>(1, inner / mixer.value_heads)
                        : parts.fields().integer(dim_field, kHeadDim).value_or(1);
  mixer.groups = parts.size_or({"mamba_n_groups", "n_groups"}, "", kHeads, 1);
  mixer.state = parts.size_or({"mamba_d_state", "state_size"}, "", kState, 128);
  mixer.convolution = parts.size_or({"mamba_d_conv", "conv_kernel"}, "", kKernel, 4);
  mixer.convolution_bias =
      parts.flag(parts.fields().first_given({"mamba_conv_bias", "use_conv_bias"}), "", true);
  mixer.projection_bias =
      parts.flag(parts.fields().first_given({"mamba_proj_bias", "use_bias"}), "", false);
  mixer.has_norm = parts.flag("mamba_rms_norm", "", parts.family().model_type() != "falcon_h1");
  mixer.state_bits = state_bits(parts);
  mixer.chunk = chunk_of(parts);
  return mixer;
}

// Which layers attend: a list of words or of indices, or a period.
std::vector<bool> attention_layers_of_mixers(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> attends(static_cast<std::size_t>(count), false);
  const Fields& fields = parts.fields();
  const std::string_view words = fields.first_given({"layer_types", "layers_block_type"});
  if (!words.empty()) {
    const std::vector<std::string> types = layer_words(parts, words, count);
    for (std::size_t i = 0; i < types.size(); ++i) {
      attends[i] = types[i] == "attention" || types[i] == "full_attention";
      if (!attends[i] && types[i] != "mamba")
        fields.complain(words, fmt::format("layer type '{}' is not understood", types[i]),
                        "known are mamba and attention");
    }
    return attends;
  }
  const document::IntegerBounds index{.least = 0, .most = kLayers.most};
  for (const std::int64_t layer : parts.integers("attn_layer_indices", index)) {
    if (layer < count) attends[static_cast<std::size_t>(layer)] = true;
  }
  const auto period = fields.integer("attn_layer_period", {.least = 1, .most = kLayers.most});
  const std::int64_t offset = fields.integer("attn_layer_offset", index).value_or(0);
  for (std::int64_t i = 0; period && i < count; ++i)
    attends[static_cast<std::size_t>(i)] = i % *period == offset % *period;
  return attends;
}

// A state space model names no longest context; engines assume this one.
constexpr std::int64_t kAssumedContext = 2048;

void read_outer_without_context(const ConfigParts& parts) {
  read_sizes(parts);
  domain::Model& model = parts.model();
  model.max_context_tokens =
      parts.size_if({"max_position_embeddings"}, "contextTokens", kContextTokens)
          .value_or(kAssumedContext);
  if (!parts.fields().given("max_position_embeddings"))
    parts.from("contextTokens", "assumed by vLLM where a config names no length");
}

}  // namespace

domain::Recurrent read_mamba_mixer(const ConfigParts& parts) {
  domain::Recurrent mixer;
  mixer.kind = domain::RecurrentKind::Mamba;
  const std::int64_t expand = parts.size_or({"mamba_expand", "expand"}, "", kKernel, 2);
  // Where there is a network as well, `intermediate_size` is its width.
  const std::string_view type = parts.family().model_type();
  const bool is_alone = type == "mamba" || type == "falcon_mamba";
  const auto inner =
      is_alone ? parts.size_if({"intermediate_size"}, "recurrent", kWidth) : std::nullopt;
  mixer.inner = inner.value_or(expand * parts.model().hidden_size);
  mixer.state = parts.size_or({"mamba_d_state", "state_size"}, "recurrent", kState, 16);
  mixer.rank = read_rank(parts, {"mamba_dt_rank", "time_step_rank"});
  mixer.convolution = parts.size_or({"mamba_d_conv", "conv_kernel"}, "", kKernel, 4);
  mixer.convolution_bias =
      parts.flag(parts.fields().first_given({"mamba_conv_bias", "use_conv_bias"}), "", true);
  mixer.projection_bias =
      parts.flag(parts.fields().first_given({"mamba_proj_bias", "use_bias"}), "", false);
  mixer.state_bits = state_bits(parts);
  return mixer;
}

int state_bits(const ConfigParts& parts) {
  const std::string_view field =
      parts.fields().first_given({"mamba_ssm_cache_dtype", "mamba_ssm_dtype"});
  if (!field.empty() && parts.fields().text(field).value_or("") == "float32") return 32;
  return parts.model().weights.other == domain::Quantization::Fp32 ? 32 : 16;
}

std::int64_t chunk_of(const ConfigParts& parts) {
  return parts.size_or({"mamba_chunk_size", "chunk_size"}, "", kChunk, domain::Recurrent{}.chunk);
}

domain::Layer recurrent_layer(domain::Recurrent mixer) {
  domain::Layer layer;
  layer.attention.kind = domain::LayerKind::Recurrent;
  layer.recurrent = mixer;
  return layer;
}

void read_mamba(ConfigParts& parts) {
  read_outer_without_context(parts);
  domain::Layer layer = recurrent_layer(read_mamba_mixer(parts));
  layer.norms = 1;
  const std::int64_t count = read_layer_count(parts);
  parts.model().layers.push_back({layer, count});
}

void read_mamba2(ConfigParts& parts) {
  read_outer_without_context(parts);
  domain::Layer layer = recurrent_layer(read_mamba2_mixer(parts));
  layer.norms = 1;
  const std::int64_t count = read_layer_count(parts);
  parts.model().layers.push_back({layer, count});
}

void read_jamba(ConfigParts& parts) {
  read_outer(parts);
  parts.model().rope = {};  // no positions at all
  const std::int64_t count = read_layer_count(parts);
  const domain::Attention attention = read_attention(parts);
  domain::Recurrent mixer = read_mamba_mixer(parts);
  mixer.has_norm = true;
  const domain::FeedForward dense = read_feed_forward(parts);
  domain::FeedForward mixture;
  mixture.experts = read_experts(parts, {.width_is_intermediate = true});
  const std::vector<bool> attends = attention_layers_of_mixers(parts, count);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  for (std::size_t i = 0; i < attends.size(); ++i) {
    domain::Layer layer = recurrent_layer(mixer);
    if (attends[i]) {
      layer.recurrent.reset();
      layer.attention = attention;
    }
    // One expert is a dense network without a router.
    layer.feed_forward = mixtures[i] && mixture.experts->count > 1 ? mixture : dense;
    add_layer(parts, layer);
  }
}

namespace {

void add_hybrid_layers(const ConfigParts& parts, std::int64_t count,
                       const domain::FeedForward& feed_forward) {
  const domain::Attention attention = read_attention(parts);
  const std::vector<bool> attends = attention_layers_of_mixers(parts, count);
  std::optional<domain::Recurrent> mixer;
  if (std::ranges::find(attends, false) != attends.end()) mixer = read_mamba2_mixer(parts);
  for (const bool attend : attends) {
    domain::Layer layer;
    if (attend) {
      layer.attention = attention;
    } else {
      layer = recurrent_layer(*mixer);
    }
    layer.feed_forward = feed_forward;
    add_layer(parts, layer);
  }
  read_rotary_dim(parts, attention.head_dim);
}

}  // namespace

void read_bamba(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  add_hybrid_layers(parts, count, read_feed_forward(parts));
}

// Granite 4: every layer has the shared network; mixtures have experts beside it.
void read_granite_hybrid(ConfigParts& parts) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  domain::FeedForward feed_forward;
  const std::int64_t experts =
      parts.fields().integer("num_local_experts", {.least = 0, .most = kExperts.most}).value_or(0);
  if (experts > 0) {
    feed_forward.experts =
        read_experts(parts, {.width_is_intermediate = true, .has_shared_width = true});
  } else {
    feed_forward.width = parts.size({"shared_intermediate_size"}, "feedForwardWidth", kWidth);
  }
  add_hybrid_layers(parts, count, feed_forward);
  // What an attention-only model says of its unused mixers.
  static_cast<void>(parts.fields().first_given({"mamba_d_state"}));
  if (parts.fields().text("position_embedding_type").value_or("rope") != "rope")
    parts.model().rope = {};
}

void read_falcon_h1(ConfigParts& parts) {
  read_outer(parts);
  domain::Layer layer = read_layer(parts);
  layer.recurrent = read_mamba2_mixer(parts);
  const std::int64_t count = read_layer_count(parts);
  parts.model().layers.push_back({layer, count});
  read_rotary_dim(parts, layer.attention.head_dim);
}

}  // namespace gpushape::catalog
