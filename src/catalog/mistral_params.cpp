// Source: vLLM's transformers_utils/configs/mistral.py (adapt_config_dict), and for images
// VisionEncoderArgs of its model_executor/models/pixtral.py.
#include "catalog/mistral_params.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpushape::catalog {
namespace {

using document::Node;

/// What vLLM serves at most where neither params.json nor a config.json says
/// (_maybe_retrieve_max_pos_from_hf).
constexpr std::int64_t kContext = 128'000;

struct Renamed {
  std::string_view theirs;
  std::string_view ours;
};
constexpr auto kDecoderNames = std::to_array<Renamed>({
    {"dim", "hidden_size"},
    {"norm_eps", "rms_norm_eps"},
    {"n_kv_heads", "num_key_value_heads"},
    {"n_layers", "num_hidden_layers"},
    {"n_heads", "num_attention_heads"},
    {"hidden_dim", "intermediate_size"},
    {"tied_embeddings", "tie_word_embeddings"},
    {"activation", "hidden_act"},
});
constexpr auto kExpertNames = std::to_array<Renamed>({
    {"route_every_n", "moe_layer_freq"},
    {"first_k_dense_replace", "first_k_dense_replace"},
    {"num_experts_per_tok", "num_experts_per_tok"},
    {"num_experts", "n_routed_experts"},
    {"expert_hidden_dim", "moe_intermediate_size"},
    {"num_shared_experts", "n_shared_experts"},
});
constexpr auto kMixtralNames = std::to_array<Renamed>({
    {"num_experts_per_tok", "num_experts_per_tok"},
    {"num_experts", "num_local_experts"},
});
constexpr auto kYarnNames = std::to_array<Renamed>({
    {"factor", "factor"},
    {"original_max_position_embeddings", "original_max_position_embeddings"},
    {"beta", "beta_fast"},
    {"alpha", "beta_slow"},
});
constexpr auto kEncoderNames = std::to_array<Renamed>({
    {"dim", "d_model"},
    {"n_layers", "encoder_layers"},
    {"hidden_dim", "encoder_ffn_dim"},
    {"n_heads", "encoder_attention_heads"},
    {"head_dim", "head_dim"},
    {"sliding_window", "sliding_window"},
    {"max_source_positions", "max_source_positions"},
});
/// Groups that are said otherwise, or of which nothing depends.
constexpr auto kOtherParams = std::to_array<std::string_view>(
    {"multimodal", "vision_encoder", "moe", "yarn", "quantization", "quantization_config",
     "model_type", "sliding_window", "llama_4_scaling", "model_parallel"});

/// Present and not null.
const Node* given_in(const Node& mapping, std::string_view name) {
  const Node* node = mapping.find(name);
  return node == nullptr || node->is(Node::Kind::Null) ? nullptr : node;
}

bool is_on(const Node& mapping, std::string_view name) {
  const Node* node = given_in(mapping, name);
  return node != nullptr && node->boolean();
}

void say_as_config(const Node& from, std::span<const Renamed> names, Node& to) {
  for (const auto& [theirs, ours] : names) {
    if (const Node* node = given_in(from, theirs)) to.set(std::string(ours), *node);
  }
}

void copy_rest(const Node& params, Node& config) {
  for (const Node::Entry& entry : params.entries()) {
    const bool is_renamed =
        std::ranges::find(kDecoderNames, entry.name, &Renamed::theirs) != kDecoderNames.end();
    const bool is_group = std::ranges::find(kOtherParams, entry.name) != kOtherParams.end();
    if (!is_renamed && !is_group) config.set(entry.name, entry.value);
  }
}

/// One window of all layers, or a pattern of windows that is repeated over them.
void add_windows(const Node& params, Node& config) {
  const Node* window = given_in(params, "sliding_window");
  if (window == nullptr || !window->is(Node::Kind::Sequence) || window->items().empty()) {
    config.set("sliding_window", window == nullptr ? Node() : *window);
    return;
  }
  constexpr std::int64_t kMostLayers = 10'000;
  const Node* layers = given_in(params, "n_layers");
  const std::int64_t count = layers == nullptr ? 0 : std::min(layers->integer(), kMostLayers);
  Node types = Node::sequence();
  for (std::int64_t layer = 0; layer < count; ++layer) {
    const Node& one = window->items()[static_cast<std::size_t>(layer) % window->items().size()];
    types.add(one.is(Node::Kind::Null) ? "full_attention" : "sliding_attention");
    if (!one.is(Node::Kind::Null) && config.find("sliding_window") == nullptr)
      config.set("sliding_window", one);
  }
  config.set("layer_types", std::move(types));
}

void add_rope(const Node& params, Node& config) {
  const Node* yarn = given_in(params, "yarn");
  if (yarn == nullptr) return;
  Node rope = Node::mapping();
  rope.set("rope_type", "yarn");
  say_as_config(*yarn, kYarnNames, rope);
  config.set("rope_parameters", std::move(rope));
}

/// Experts beside shared ones are DeepSeek's; latent attention without experts is of the same
/// class, whose layers are all dense then. Other experts are Mixtral's.
void add_kind(const Node& params, Node& config) {
  const Node* moe = given_in(params, "moe");
  const Node* shared = moe == nullptr ? nullptr : given_in(*moe, "num_shared_experts");
  const bool is_latent = given_in(params, "qk_nope_head_dim") != nullptr;
  std::string_view kind =
      is_on(params, "ada_rms_norm_t_cond") ? "voxtral_realtime_text" : "mistral";
  if (moe != nullptr && shared != nullptr && shared->integer() > 0) {
    kind = "mistral4";
    say_as_config(*moe, kExpertNames, config);
  } else if (moe != nullptr) {
    kind = "mixtral";
    say_as_config(*moe, kMixtralNames, config);
  } else if (is_latent) {
    kind = "mistral4";
    config.set("n_routed_experts", 1);
    config.set("num_experts_per_tok", 1);
    config.set("n_shared_experts", 1);
    if (const Node* width = given_in(params, "hidden_dim"))
      config.set("moe_intermediate_size", *width);
    if (const Node* layers = given_in(params, "n_layers"))
      config.set("first_k_dense_replace", *layers);
  }
  config.set("model_type", kind);
}

/// FP8 with a scale for each matrix; compressed-tensors stand as they are in config.json.
Node quantization_of(const Node& params) {
  if (const Node* config = given_in(params, "quantization_config")) return *config;
  const Node* own = given_in(params, "quantization");
  if (own == nullptr) return {};
  const Node* format = given_in(*own, "qformat_weight");
  if (format == nullptr || format->text() != "fp8_e4m3") return *own;
  const Node* inputs = given_in(*own, "qscheme_act");
  const bool is_dynamic = inputs != nullptr && inputs->text() == "NO_SCALES";
  Node config = Node::mapping();
  config.set("quant_method", "fp8");
  config.set("activation_scheme", is_dynamic ? "dynamic" : "static");
  return config;
}

std::string_view their_name(std::string_view ours) {
  for (const std::span<const Renamed> names :
       {std::span<const Renamed>(kDecoderNames), std::span<const Renamed>(kExpertNames),
        std::span<const Renamed>(kMixtralNames), std::span<const Renamed>(kEncoderNames)}) {
    const auto found = std::ranges::find(names, ours, &Renamed::ours);
    if (found != names.end()) return found->theirs;
  }
  return ours;
}

Node decoder_of(const Node& params) {
  Node config = Node::mapping();
  add_kind(params, config);
  say_as_config(params, kDecoderNames, config);
  copy_rest(params, config);
  if (config.find("tie_word_embeddings") == nullptr) config.set("tie_word_embeddings", false);
  if (given_in(config, "max_position_embeddings") == nullptr)
    config.set("max_position_embeddings", kContext);
  add_windows(params, config);
  add_rope(params, config);
  return config;
}

const Node* vision_of(const Node& params) {
  if (const Node* multimodal = given_in(params, "multimodal")) {
    if (const Node* vision = given_in(*multimodal, "vision_encoder_args")) return vision;
  }
  return given_in(params, "vision_encoder");
}

const Node* whisper_of(const Node& params) {
  const Node* multimodal = given_in(params, "multimodal");
  const Node* whisper =
      multimodal == nullptr ? nullptr : given_in(*multimodal, "whisper_model_args");
  return whisper == nullptr || given_in(*whisper, "encoder_args") == nullptr ? nullptr : whisper;
}

/// A projector that merges patches is Mistral 3's, one that does not is Pixtral's.
void add_images(const Node& vision, Node& config) {
  const Node* projector = given_in(vision, "mm_projector_id");
  const bool merges = projector != nullptr && projector->text() == "patch_merge";
  config.set("model_type", merges ? "mistral3" : "llava");
  Node tower = vision;
  tower.set("model_type", "pixtral");
  config.set("vision_config", std::move(tower));
  if (const Node* edge = given_in(vision, "spatial_merge_size"))
    config.set("spatial_merge_size", *edge);
  if (!merges) return;
  const Node* bias = given_in(vision, "adapter_bias");
  config.set("multimodal_projector_bias", bias == nullptr ? Node(true) : *bias);
}

void add_sound(const Node& whisper, Node& config) {
  const Node& encoder = *given_in(whisper, "encoder_args");
  const bool is_causal = is_on(encoder, "causal");
  config.set("model_type", is_causal ? "voxtral_realtime" : "voxtral");
  Node tower = Node::mapping();
  say_as_config(encoder, kEncoderNames, tower);
  if (const Node* encoding = given_in(encoder, "audio_encoding_args")) {
    if (const Node* bins = given_in(*encoding, "num_mel_bins")) tower.set("num_mel_bins", *bins);
  }
  config.set("audio_config", std::move(tower));
  const Node* down = given_in(whisper, "downsample_args");
  if (const Node* factor = down == nullptr ? nullptr : given_in(*down, "downsample_factor"))
    config.set("downsample_factor", *factor);
}

}  // namespace

bool is_mistral_params(const Node& params) {
  return std::ranges::all_of(
      std::to_array<std::string_view>({"dim", "n_layers", "hidden_dim"}),
      [&](std::string_view name) { return given_in(params, name) != nullptr; });
}

Node config_of_params(const Node& params) {
  Node config = decoder_of(params);
  const Node* vision = vision_of(params);
  const Node* whisper = whisper_of(params);
  if (vision != nullptr || whisper != nullptr) {
    Node whole = Node::mapping();
    if (vision != nullptr) {
      add_images(*vision, whole);
    } else {
      add_sound(*whisper, whole);
    }
    if (const Node* dtype = given_in(params, "dtype")) whole.set("dtype", *dtype);
    whole.set("text_config", std::move(config));
    config = std::move(whole);
  }
  if (Node quantization = quantization_of(params); !quantization.is(Node::Kind::Null))
    config.set("quantization_config", std::move(quantization));
  return config;
}

std::string said_of_params(std::string_view text) {
  constexpr std::string_view kFile = "config.json";
  const auto is_part = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  std::string said;
  while (!text.empty()) {
    if (text.starts_with(kFile)) {
      said += "params.json";
      text.remove_prefix(kFile.size());
      continue;
    }
    const auto end = std::ranges::find_if_not(text, is_part);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    said += word.empty() ? text.substr(0, 1) : their_name(word);
    text.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
  return said;
}

}  // namespace gpushape::catalog
