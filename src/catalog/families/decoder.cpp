#include "catalog/families/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpushape::catalog {

void read_sizes(const ConfigParts& parts) {
  domain::Model& model = parts.model();
  const DefaultSizes sizes = parts.is_nested() ? parts.traits().sizes : DefaultSizes{};
  model.hidden_size = parts.size_or({"hidden_size", "n_embd", "n_embed", "d_model", "block_dim"},
                                    "hiddenSize", kHiddenSize, sizes.hidden);
  model.vocabulary = parts.size_or({"vocab_size", "padded_vocab_size"}, "vocabulary", kVocabulary,
                                   sizes.vocabulary);
  if (parts.fields()
          .first_given({"hidden_size", "n_embd", "n_embed", "d_model", "block_dim"})
          .empty() &&
      sizes.hidden > 0) {
    model.notes.push_back(
        fmt::format("the config leaves out sizes of its decoder (hidden size {}, vocabulary {} …): "
                    "those of its "
                    "class are taken, as the sources say",
                    model.hidden_size, model.vocabulary));
  }
  // Composite configs say it for the whole, for the decoder, or for both.
  const bool says_root = parts.is_nested() && !parts.fields().given("tie_word_embeddings") &&
                         parts.root().given("tie_word_embeddings");
  if (says_root) {
    model.tied_embeddings = parts.root().boolean("tie_word_embeddings").value_or(false);
    parts.from_config("tiedEmbeddings");
  } else {
    model.tied_embeddings =
        parts.flag("tie_word_embeddings", "tiedEmbeddings", parts.traits().ties_embeddings);
  }
  model.final_norm_bias = parts.traits().norm_bias;
  if (parts.traits().head_bias && model.has_head)
    model.extra.push_back({.name = "lm_head.bias", .rows = model.vocabulary, .is_dealt_out = true});
}

void read_outer(const ConfigParts& parts, Positions positions) {
  read_sizes(parts);
  read_context(parts, positions);
}

std::int64_t read_layer_count(const ConfigParts& parts) {
  return parts.size_or({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, "layers",
                       kLayers, parts.is_nested() ? parts.traits().sizes.layers : 0);
}

domain::Attention read_equal_heads(const ConfigParts& parts, std::string_view field) {
  domain::Attention attention;
  attention.heads = parts.size({field}, "attentionHeads", kHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = std::max<std::int64_t>(1, parts.model().hidden_size / attention.heads);
  attention.value_head_dim = attention.head_dim;
  return attention;
}

namespace {

// Absent is the default of the family's class; null says as many as there are heads.
std::int64_t read_kv_heads(const ConfigParts& parts, std::int64_t heads) {
  const Traits& traits = parts.traits();
  const auto said = parts.size_if({"num_attention_groups", "num_key_value_heads", "num_kv_heads",
                                   "n_head_kv", "multi_query_group_num"},
                                  "kvHeads", kHeads);
  if (said) return *said;
  const bool is_null = parts.fields().reader().node("num_key_value_heads") != nullptr;
  const std::int64_t otherwise = traits.multi_query ? 1 : traits.sizes.kv_heads;
  if (otherwise > 0 && !is_null) {
    parts.from_family("kvHeads");
    return otherwise;
  }
  parts.from("kvHeads", "default: as many as attention heads");
  if (!traits.is_multi_head) {
    parts.model().notes.push_back(
        fmt::format("the config names no num_key_value_heads: {}, as many as attention heads, are "
                    "assumed",
                    heads));
  }
  return heads;
}

}  // namespace

domain::Attention read_attention(const ConfigParts& parts) {
  const Traits& traits = parts.traits();
  const DefaultSizes sizes = parts.is_nested() ? traits.sizes : DefaultSizes{};
  domain::Model& model = parts.model();
  domain::Attention attention;
  attention.heads = parts.size_or({"num_attention_heads", "n_head", "n_heads"}, "attentionHeads",
                                  kHeads, sizes.heads);
  attention.kv_heads = read_kv_heads(parts, attention.heads);
  const auto head_dim =
      parts.size_if({"head_dim", "attention_head_dim", "kv_channels"}, "headDim", kHeadDim);
  if (head_dim) {
    attention.head_dim = *head_dim;
  } else if (traits.head_dim > 0) {
    attention.head_dim = traits.head_dim;
    parts.from_family("headDim");
  } else {
    attention.head_dim = std::max<std::int64_t>(1, model.hidden_size / attention.heads);
    parts.from("headDim", "default: hidden size / attention heads");
    // A hidden size that could not be read is complained of already, and stands at 1.
    if (model.hidden_size > 1 && model.hidden_size % attention.heads != 0) {
      parts.fields().complain("num_attention_heads",
                              fmt::format("hidden_size {} is not a multiple of num_attention_heads "
                                          "{}",
                                          model.hidden_size, attention.heads),
                              "such a config must name its head_dim");
    }
  }
  attention.value_head_dim = attention.head_dim;
  attention.output_gate = traits.output_gate;
  attention.head_norm = traits.head_norm;
  if (!traits.head_norm_field.empty() &&
      !parts.flag(traits.head_norm_field, "", traits.head_norm_on))
    attention.head_norm = domain::HeadNorm::None;
  parts.from_family("queryKeyNorm");
  attention.qkv_bias = parts.flag(traits.qkv_bias_field, "qkvBias", traits.qkv_bias);
  attention.output_bias = parts.flag(traits.output_bias_field, "", traits.output_bias);
  return attention;
}

domain::FeedForward read_feed_forward(const ConfigParts& parts) {
  const Traits& traits = parts.traits();
  domain::FeedForward feed_forward;
  feed_forward.gated = traits.gated;
  const std::int64_t otherwise = traits.width_factor > 0
                                     ? traits.width_factor * parts.model().hidden_size
                                     : (parts.is_nested() ? traits.sizes.width : 0);
  feed_forward.width = parts.size_or(
      {"intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "ff_intermediate_size"},
      "feedForwardWidth", kWidth, otherwise);
  feed_forward.bias =
      parts.flag(traits.mlp_bias_field, traits.mlp_bias_field.empty() ? "" : "feedForwardBias",
                 traits.mlp_bias);
  return feed_forward;
}

domain::Layer read_layer(const ConfigParts& parts) {
  domain::Layer layer;
  layer.attention = read_attention(parts);
  layer.feed_forward = read_feed_forward(parts);
  layer.norms = parts.traits().norms;
  layer.norm_bias = parts.traits().norm_bias;
  return layer;
}

std::optional<std::int64_t> read_window(const ConfigParts& parts) {
  // Absent is not null: null says that there is none.
  const bool is_absent = parts.fields().reader().node("sliding_window") == nullptr;
  if (is_absent && parts.traits().sliding_window > 0) {
    parts.from_family("slidingWindow");
    return parts.traits().sliding_window;
  }
  return parts.fields().integer("sliding_window", kContextTokens);
}

std::vector<std::string> layer_words(const ConfigParts& parts, std::string_view field,
                                     std::int64_t count) {
  if (!parts.fields().given(field)) return {};
  std::vector<std::string> words = parts.fields().texts(field);
  // EXAONE 4.5 lists the layers for further tokens behind the others.
  const std::int64_t further =
      parts.fields().integer("num_nextn_predict_layers", {.least = 0, .most = 100}).value_or(0);
  if (words.size() == static_cast<std::size_t>(count + further))
    words.resize(static_cast<std::size_t>(count));
  if (words.size() == static_cast<std::size_t>(count)) return words;
  parts.fields().complain(field,
                          fmt::format("{} lists {} layers of {}", field, words.size(), count));
  return {};
}

std::vector<std::int64_t> layer_numbers(const ConfigParts& parts, std::string_view field,
                                        std::int64_t count) {
  if (!parts.fields().given(field)) return {};
  std::vector<std::int64_t> numbers = parts.integers(field, {.least = 0, .most = kWidth.most});
  if (numbers.size() == static_cast<std::size_t>(count)) return numbers;
  parts.fields().complain(field,
                          fmt::format("{} lists {} layers of {}", field, numbers.size(), count));
  return {};
}

namespace {

// Words of `layer_types`. Engines differ in what they call a chunked layer; it is read elsewhere.
std::vector<bool> listed_sliding_layers(const ConfigParts& parts, std::int64_t count,
                                        std::optional<std::int64_t> window) {
  std::vector<bool> slides(static_cast<std::size_t>(count), false);
  const std::vector<std::string> types = layer_words(parts, "layer_types", count);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] != "full_attention" && types[i] != "sliding_attention") {
      parts.fields().complain("layer_types",
                              fmt::format("layer type '{}' is not understood", types[i]),
                              "known are full_attention and sliding_attention");
      return slides;
    }
    slides[i] = types[i] == "sliding_attention";
  }
  const bool is_on = parts.traits().sliding != SlidingRule::OnSwitch ||
                     parts.fields().boolean("use_sliding_window").value_or(false);
  if (std::ranges::find(slides, true) != slides.end() && (!window || !is_on))
    parts.fields().complain("layer_types",
                            "layer_types has sliding layers, but no sliding window is on");
  return slides;
}

// Every `period`-th layer sees everything.
std::vector<bool> periodic_layers(const ConfigParts& parts, std::int64_t count) {
  const std::string_view field = parts.fields().first_given(
      {"sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"});
  std::int64_t period = parts.traits().sliding_period;
  const document::Node* node = field.empty() ? nullptr : parts.fields().node(field);
  if (node != nullptr && node->is(document::Node::Kind::String)) {
    // Exaone 4 draws the pattern: "LLLG".
    period = static_cast<std::int64_t>(node->text().size());
  } else if (node != nullptr) {
    period = parts.fields().integer(field, {.least = 1, .most = kLayers.most}).value_or(period);
  }
  std::vector<bool> slides(static_cast<std::size_t>(count), true);
  for (std::size_t i = 0; i < slides.size(); ++i)
    slides[i] = period > 0 && (static_cast<std::int64_t>(i) + 1) % period != 0;
  return slides;
}

std::vector<bool> switched_layers(const ConfigParts& parts, std::int64_t count,
                                  std::optional<std::int64_t> window) {
  std::vector<bool> slides(static_cast<std::size_t>(count), false);
  if (!parts.fields().boolean("use_sliding_window").value_or(false)) return slides;
  if (!window) {
    parts.fields().complain("use_sliding_window",
                            "use_sliding_window is true, but there is no sliding_window");
    return slides;
  }
  // transformers: the first max_window_layers layers see everything, the others slide.
  const std::int64_t full =
      parts.fields().required_integer("max_window_layers", {.least = 0, .most = kLayers.most});
  for (std::int64_t i = full; i < count; ++i) slides[static_cast<std::size_t>(i)] = true;
  return slides;
}

}  // namespace

std::vector<bool> sliding_layers(const ConfigParts& parts, std::int64_t count,
                                 std::optional<std::int64_t> window) {
  if (parts.fields().given("layer_types")) return listed_sliding_layers(parts, count, window);
  std::vector<bool> slides(static_cast<std::size_t>(count), false);
  switch (parts.traits().sliding) {
    case SlidingRule::Never:
      if (window)
        parts.fields().complain("sliding_window",
                                fmt::format("a {} model with a sliding_window is not understood",
                                            parts.family().model_type()),
                                "a config that slides must list its layer_types");
      return slides;
    case SlidingRule::Always:
      if (window) slides.assign(slides.size(), true);
      return slides;
    case SlidingRule::Periodic:
      return window ? periodic_layers(parts, count) : slides;
    case SlidingRule::OnSwitch:
      return switched_layers(parts, count, window);
  }
  return slides;
}

domain::Layer sliding(domain::Layer layer, std::int64_t window_tokens) {
  layer.attention.kind = domain::LayerKind::Sliding;
  layer.attention.window_tokens = window_tokens;
  return layer;
}

void add_layer(std::vector<domain::LayerRun>& runs, const domain::Layer& layer) {
  if (runs.empty() || runs.back().layer != layer) runs.push_back({layer, 0});
  ++runs.back().count;
}

namespace {

std::optional<double> share_in(const Fields& fields) {
  const std::string_view field =
      fields.first_given({"partial_rotary_factor", "rotary_pct", "rope_pct"});
  return field.empty() ? std::nullopt : fields.number(field, {.least = 0, .most = 1});
}

// The rotated share of a head: in the config, in its rope_parameters, or there for each kind of
// layer.
std::optional<double> rotary_share(const ConfigParts& parts, std::string_view kind) {
  if (const auto name = parts.fields().first_given({"rope_parameters", "rope_scaling"});
      !name.empty()) {
    if (auto reader = parts.fields().mapping(name)) {
      const Fields fields(*reader);
      if (auto nested = fields.mapping(kind)) {
        if (const auto share = share_in(Fields(*nested))) return share;
      }
      if (const auto share = share_in(fields)) return share;
    }
  }
  return share_in(parts.fields());
}

std::int64_t rotated(std::int64_t head_dim, double share) {
  return static_cast<std::int64_t>(static_cast<double>(head_dim) * share);
}

}  // namespace

void read_rotary_dim(const ConfigParts& parts, std::int64_t head_dim) {
  domain::Rope& rope = parts.model().rope;
  const double otherwise = parts.traits().rotary_share;
  if (const auto dim = parts.fields().integer("rotary_dim", kHeadDim)) {
    rope.rotary_dim = *dim;
  } else {
    rope.rotary_dim = rotated(head_dim, rotary_share(parts, "full_attention").value_or(otherwise));
  }
  for (domain::Rope& further : parts.model().further_ropes)
    further.rotary_dim =
        rotated(head_dim, rotary_share(parts, "sliding_attention").value_or(otherwise));
}

void add_sliding_layers(const ConfigParts& parts, const domain::Layer& layer) {
  const std::int64_t count = read_layer_count(parts);
  const std::optional<std::int64_t> window = read_window(parts);
  const domain::Layer local = sliding(layer, window.value_or(0));
  for (const bool slides : sliding_layers(parts, count, window))
    add_layer(parts, slides ? local : layer);
  read_rotary_dim(parts, layer.attention.head_dim);
}

void read_dense(ConfigParts& parts) {
  read_outer(parts);
  add_sliding_layers(parts, read_layer(parts));
}

}  // namespace gpushape::catalog
