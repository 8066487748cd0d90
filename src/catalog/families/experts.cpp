#include "catalog/families/experts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catalog/families/decoder.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kSharedExperts{.least = 0, .most = 1'000};

// What families call the number of their experts in the configs that they publish: the name that a
// complaint gives. The others have Mixtral's, num_local_experts.
struct CountField {
  std::string_view field;
  std::vector<std::string_view> families;
};

std::string_view count_field(const Family& family) {
  static const std::vector<CountField> kFields = {
      {"num_experts",
       {"PanguProMoE",
        "afmoe",
        "bailing_moe",
        "bailing_moe_linear",
        "cohere2_moe",
        "diffusion_gemma_text",
        "exaone_moe",
        "flex_olmo",
        "gemma4_text",
        "hunyuan_v1_moe",
        "hy_v3",
        "interns1_pro_text",
        "jamba",
        "kimi_linear",
        "laguna",
        "lfm2",
        "mellum",
        "minicpm",
        "olmoe",
        "param2moe",
        "qwen2_moe",
        "qwen3_5_text",
        "qwen3_moe",
        "qwen3_next",
        "qwen3_omni_moe_text",
        "qwen3_vl_moe_text",
        "qwen4_exp_text",
        "sarvam_mla",
        "sarvam_moe"}},
      {"n_routed_experts",
       {"AXK1",
        "deepseek",
        "deepseek_v2",
        "deepseek_v3",
        "deepseek_v32",
        "deepseek_v4",
        "deepseek_v41_text",
        "dots1",
        "glm4_moe",
        "glm4_moe_lite",
        "glm5_next_text",
        "glm_moe_dsa",
        "longcat_flash",
        "longcat_flash_ngram",
        "mimo_v2_flash",
        "mistral4",
        "nemotron_h",
        "nemotron_h_puzzle",
        "pangu_ultra_moe",
        "solar_open"}},
      {"moe_num_experts", {"aria_text", "ernie4_5_moe", "step3_text", "step3p7"}},
  };
  for (const CountField& row : kFields) {
    if (std::ranges::find(row.families, family.model_type()) != row.families.end())
      return row.field;
  }
  return "num_local_experts";
}

std::int64_t shared_width(const ConfigParts& parts, const ExpertTraits& traits,
                          std::int64_t expert_width) {
  if (traits.has_shared_width) {
    return parts
        .size_if({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                  "shared_intermediate_size", "share_expert_dim"},
                 "sharedExpertWidth", {.least = 0, .most = kWidth.most})
        .value_or(traits.shared_width);
  }
  if (!traits.counts_shared) return 0;
  const auto shared = parts.size_if(
      {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"},
      "sharedExpertWidth", kSharedExperts);
  return shared.value_or(0) * expert_width;
}

std::vector<bool> from_lists(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> mixtures;
  if (parts.fields().given("mlp_layer_types")) {
    for (const std::string& word : layer_words(parts, "mlp_layer_types", count)) {
      if (word != "dense" && word != "sparse")
        parts.fields().complain("mlp_layer_types",
                                fmt::format("layer type '{}' is not understood", word),
                                "known are dense and sparse");
      mixtures.push_back(word == "sparse");
    }
    return mixtures;
  }
  const document::Node* frequency = parts.fields().node("moe_layer_freq");
  if (frequency != nullptr && frequency->is(document::Node::Kind::Sequence)) {
    for (const std::int64_t is_mixture : layer_numbers(parts, "moe_layer_freq", count))
      mixtures.push_back(is_mixture != 0);
  }
  return mixtures;
}

// ERNIE 4.5: from the first to the last of a stretch.
std::vector<bool> from_stretch(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> mixtures(static_cast<std::size_t>(count), false);
  const document::IntegerBounds bounds{.least = -1, .most = kLayers.most};
  const std::int64_t first = parts.fields().integer("moe_layer_start_index", bounds).value_or(0);
  std::int64_t last = parts.fields().integer("moe_layer_end_index", bounds).value_or(-1);
  if (last < 0) last = count - 1;
  const std::int64_t step =
      parts.fields().integer("moe_layer_interval", {.least = 1, .most = kLayers.most}).value_or(1);
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i < count; ++i)
    mixtures[static_cast<std::size_t>(i)] = i <= last && (i + 1) % step == 0;
  return mixtures;
}

}  // namespace

domain::Experts read_experts(const ConfigParts& parts, const ExpertTraits& traits) {
  domain::Experts experts;
  experts.count = parts.size_or({count_field(parts.family()), "num_local_experts", "num_experts",
                                 "n_routed_experts", "moe_num_experts", "num_experts_per_layer"},
                                "experts", kExperts, traits.count);
  experts.active =
      parts.size_or({"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_k",
                     "moe_topk", "moe_top_k", "top_k_experts"},
                    "activeExperts", kExperts, traits.active);
  experts.width =
      traits.width_is_intermediate
          ? parts.size_or({"moe_intermediate_size", "intermediate_size", "expert_ffn_hidden_size"},
                          "expertWidth", kWidth, traits.width)
          : parts.size_or({"moe_intermediate_size", "expert_ffn_hidden_size"}, "expertWidth",
                          kWidth, traits.width);
  experts.shared_width = shared_width(parts, traits, experts.width);
  experts.shared_gate = traits.shared_gate && experts.shared_width > 0;
  experts.correction_bias = traits.correction_bias;
  experts.bias = traits.bias;
  experts.router_bias = traits.router_bias;
  experts.is_gated = traits.is_gated;
  if (experts.active > experts.count) {
    parts.fields().complain(
        parts.fields().first_given({"num_experts_per_tok", "num_experts_per_token", "moe_k",
                                    "experts_per_token", "moe_topk", "top_k_experts"}),
        fmt::format("{} active experts of {}", experts.active, experts.count));
  }
  return experts;
}

std::vector<bool> mixture_layers(const ConfigParts& parts, std::int64_t count) {
  std::vector<bool> mixtures = from_lists(parts, count);
  const Fields& fields = parts.fields();
  if (!mixtures.empty()) {
    // The same said a second time, with which the list agrees in every published config.
    static_cast<void>(fields.first_given({"first_k_dense_replace", "mlp_only_layers"}));
    return mixtures;
  }
  if (fields.given("moe_layer_start_index")) return from_stretch(parts, count);
  mixtures.assign(static_cast<std::size_t>(count), true);
  const document::IntegerBounds step{.least = 1, .most = kLayers.most};
  const document::IntegerBounds index{.least = 0, .most = kLayers.most};
  const std::int64_t every =
      fields
          .integer(fields.first_given(
                       {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_frequency"}),
                   step)
          .value_or(1);
  const std::int64_t frequency = fields.integer("moe_layer_freq", step).value_or(1);
  const std::int64_t dense = fields.integer("first_k_dense_replace", index).value_or(0);
  const std::int64_t period = fields.integer("expert_layer_period", step).value_or(1);
  const std::int64_t offset = fields.integer("expert_layer_offset", index).value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    mixtures[static_cast<std::size_t>(i)] =
        i >= dense && (i + 1) % every == 0 && i % frequency == 0 && i % period == offset % period;
  }
  for (const std::int64_t layer : parts.integers("mlp_only_layers", index)) {
    if (layer < count) mixtures[static_cast<std::size_t>(layer)] = false;
  }
  return mixtures;
}

void read_mixture(const ConfigParts& parts, const ExpertTraits& traits) {
  read_outer(parts);
  const std::int64_t count = read_layer_count(parts);
  const std::vector<bool> mixtures = mixture_layers(parts, count);
  const bool has_dense = std::ranges::find(mixtures, false) != mixtures.end();
  domain::Layer dense;
  dense.attention = read_attention(parts);
  dense.norms = parts.traits().norms;
  dense.norm_bias = parts.traits().norm_bias;
  domain::Layer mixture = dense;
  mixture.feed_forward.experts = read_experts(parts, traits);
  if (has_dense) dense.feed_forward = read_feed_forward(parts);
  const std::optional<std::int64_t> window = read_window(parts);
  const std::vector<bool> slides = sliding_layers(parts, count, window);
  for (std::size_t i = 0; i < slides.size(); ++i) {
    const domain::Layer& layer = i < mixtures.size() && mixtures[i] ? mixture : dense;
    add_layer(parts, slides[i] ? sliding(layer, window.value_or(0)) : layer);
  }
  read_rotary_dim(parts, dense.attention.head_dim);
}

void add_multi_token(const ConfigParts& parts, const domain::Layer& layer, std::int64_t count,
                     MultiTokenTraits traits) {
  if (count <= 0) return;
  const std::int64_t hidden_size = parts.model().hidden_size;
  domain::MultiTokenPrediction prediction;
  prediction.layers.push_back({layer, count});
  for (std::int64_t i = 0; i < count; ++i) {
    prediction.extra.push_back(
        {.name = "eh_proj", .rows = hidden_size, .columns = 2 * hidden_size});
    for (const char* name : {"enorm", "hnorm", "shared_head.norm"})
      prediction.extra.push_back({.name = name, .rows = hidden_size});
  }
  prediction.holds_embedding = traits.holds_embedding;
  parts.model().multi_token_prediction = std::move(prediction);
  parts.from_config("multiTokenPrediction");
}

}  // namespace gpushape::catalog
