#include "catalog/tensor_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace gpushape::catalog {
namespace {

using domain::TensorPart;
using NameScope = TensorName::Scope;

bool is_among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Words that begin the name of a tower or projector in published checkpoints.
constexpr auto kTowerWords = std::to_array<std::string_view>({"vision_tower",
                                                              "vision_model",
                                                              "vision_encoder",
                                                              "visual",
                                                              "vit",
                                                              "vpm",
                                                              "resampler",
                                                              "audio_tower",
                                                              "audio_model",
                                                              "audio_encoder",
                                                              "audio",
                                                              "multi_modal_projector",
                                                              "mm_projector",
                                                              "embed_vision",
                                                              "embed_audio",
                                                              "patch_merge_mlp",
                                                              "patch_merger",
                                                              "connector",
                                                              "aligner",
                                                              "encoder",
                                                              "mlp1",
                                                              "vision_embed_tokens",
                                                              "talker",
                                                              "token2wav",
                                                              "code2wav",
                                                              "code_predictor",
                                                              "img_projection",
                                                              "vision_projector",
                                                              "modality_projection",
                                                              "vision_language_adapter",
                                                              "vision_embedding",
                                                              "sound_encoder",
                                                              "speech_encoder",
                                                              "image_newline",
                                                              "merging_layer",
                                                              "whisper_encoder",
                                                              "audio_language_projection"});

// What stands behind the module: the tensors of each way of storing weights.
constexpr auto kSuffixWords = std::to_array<std::string_view>({"weight",
                                                               "bias",
                                                               "qweight",
                                                               "qzeros",
                                                               "scales",
                                                               "g_idx",
                                                               "weight_packed",
                                                               "weight_scale",
                                                               "weight_scale_inv",
                                                               "weight_scale_2",
                                                               "weight_shape",
                                                               "weight_zero_point",
                                                               "weight_global_scale",
                                                               "input_global_scale",
                                                               "weight_g_idx",
                                                               "input_scale",
                                                               "k_scale",
                                                               "v_scale",
                                                               "SCB",
                                                               "weight_format",
                                                               "scale",
                                                               "scale_inv",
                                                               "output_scale",
                                                               "kv_scale",
                                                               "q_scale",
                                                               "pre_quant_scale",
                                                               "activation_scale",
                                                               "biases",
                                                               "zeros"});

// Suffixes that gpt-oss joins to the name of the tensor.
constexpr auto kJoinedSuffixes = std::to_array<std::string_view>({"_blocks", "_scales", "_bias"});

std::optional<std::int64_t> number_of(std::string_view word) {
  constexpr std::size_t kMostDigits = 6;
  if (word.empty() || word.size() > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view name) {
  constexpr std::size_t kUsualWords = 8;
  std::vector<std::string_view> words;
  words.reserve(kUsualWords);
  while (!name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    words.push_back(name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return words;
}

bool is_layer_word(std::string_view word) {
  return word == "layers" || word == "h" || word == "blocks" || word == "layer" || word == "blk";
}

std::string join(const std::vector<std::string_view>& words, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    if (!text.empty()) text += '.';
    text += words[i];
  }
  return text;
}

/// "mixer" is whatever Nemotron-H puts into a layer: its next word says what.
std::string_view mixer(std::string_view next) {
  constexpr auto kAttention =
      std::to_array<std::string_view>({"q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj"});
  constexpr auto kState = std::to_array<std::string_view>(
      {"in_proj", "out_proj", "conv1d", "A_log", "D", "dt_bias", "norm", "x_proj", "dt_proj"});
  if (is_among(kAttention, next)) return "self_attn";
  return is_among(kState, next) ? "mamba" : "mlp";
}

std::string_view first_word(std::string_view word, std::string_view next) {
  constexpr auto kAttention =
      std::to_array<std::string_view>({"attn", "attention", "self_attention", "self_attn"});
  constexpr auto kFeedForward =
      std::to_array<std::string_view>({"feed_forward", "block_sparse_moe", "ffn", "moe", "mlp"});
  if (word == "mixer") return mixer(next);
  if (is_among(kAttention, word)) return "self_attn";
  if (is_among(kFeedForward, word)) return "mlp";
  if (word == "router" || word == "experts") return "mlp";  // Gemma 4: beside the dense network
  if (word == "gate" || word == "shared_experts") return "mlp";  // Mistral: of the layer itself
  return word;
}

std::string_view later_word(std::string_view word, std::string_view before) {
  if (word == "w1") return "gate_proj";
  if (word == "w3") return "up_proj";
  if (word == "w2") return "down_proj";
  if (word == "shared_expert" || word == "shared_mlp" || word == "share_expert")
    return "shared_experts";
  if (word == "router" && before == "mlp") return "gate";
  if (word == "c_attn" || word == "query_key_value" || word == "Wqkv") return "qkv_proj";
  return word;
}

/// Mistral's words for the matrices of "attention"; DeepSeek has some of them in "attn".
std::string_view attention_word(std::string_view word) {
  struct AttentionName {
    std::string_view theirs;
    std::string_view ours;
  };
  constexpr auto kWords = std::to_array<AttentionName>({{"wq", "q_proj"},
                                                        {"wk", "k_proj"},
                                                        {"wv", "v_proj"},
                                                        {"wo", "o_proj"},
                                                        {"wq_a", "q_a_proj"},
                                                        {"wq_b", "q_b_proj"},
                                                        {"wkv_a_with_mqa", "kv_a_proj_with_mqa"},
                                                        {"wkv_b", "kv_b_proj"}});
  const auto found = std::ranges::find(kWords, word, &AttentionName::theirs);
  return found == kWords.end() ? word : found->ours;
}

/// The module within its layer, in our words.
std::string module_of(const std::vector<std::string_view>& words, std::size_t first,
                      std::size_t last, std::int64_t& expert) {
  if (first >= last) return {};
  std::string_view before = first_word(words[first], first + 1 < last ? words[first + 1] : "");
  std::string module(before);
  if (words[first] == "router" || words[first] == "gate") module += ".gate";
  if (words[first] == "shared_experts") module += ".shared_experts";
  if (words[first] == "experts") {
    module += ".experts";
    before = "experts";
  }
  for (std::size_t i = first + 1; i < last; ++i) {
    if (before == "experts") {
      if (const auto number = number_of(words[i])) {
        expert = *number;
        continue;
      }
    }
    before = words[first] == "attention" ? attention_word(words[i]) : later_word(words[i], before);
    module += '.';
    module += before;
  }
  if (words[first] == "router" && words[last - 1] == "proj")
    module.resize(module.size() - std::string_view(".proj").size());
  return module;
}

TensorPart layer_part(std::string_view module) {
  const auto holds = [&](std::string_view word) {
    return module.find(word) != std::string_view::npos;
  };
  if (holds("norm") || holds("ln_") || holds("layer_scalar")) return TensorPart::Norm;
  if (module.starts_with("mlp.gate.") || module == "mlp.gate" || holds("shared_expert_gate") ||
      holds("e_score_correction") || holds("router"))
    return TensorPart::Router;
  if (holds("expert") || holds("latent_proj")) return TensorPart::Expert;
  if (module.starts_with("self_attn") || module.starts_with("encoder_attn") ||
      module.starts_with("cross_attn"))
    return TensorPart::Attention;
  if (module.starts_with("linear_attn") || module.starts_with("mamba") ||
      module.starts_with("conv") || module.starts_with("temporal"))
    return TensorPart::Recurrent;
  if (module.starts_with("mlp") || module.starts_with("fc") || holds("dense_h"))
    return TensorPart::FeedForward;
  return TensorPart::Other;
}

TensorPart outer_part(std::string_view module) {
  const auto holds = [&](std::string_view word) {
    return module.find(word) != std::string_view::npos;
  };
  if (holds("lm_head") || module == "head" || holds("embed_out") || module == "output" ||
      holds("score") || holds("classifier"))
    return TensorPart::Head;
  if (holds("norm") || holds("ln_f")) return TensorPart::Norm;
  if (holds("embed") || holds("wte") || holds("wpe")) return TensorPart::Embedding;
  return TensorPart::Other;
}

/// "encoder" is a tower beside a decoder (Whisper), but the model itself in BERT ("encoder.layer")
/// and ChatGLM ("transformer.encoder").
bool is_whole_encoder(const std::vector<std::string_view>& words, std::size_t at) {
  if (words[at] != "encoder") return false;
  return (at + 1 < words.size() && words[at + 1] == "layer") ||
         (at > 0 && words[at - 1] == "transformer");
}

struct Suffix {
  std::size_t words = 0;    // behind the module
  std::string_view joined;  // to its last word
};

Suffix suffix_of(const std::vector<std::string_view>& words, std::size_t first) {
  for (std::size_t i = std::max<std::size_t>(first, 1); i < words.size(); ++i) {
    if (is_among(kSuffixWords, words[i])) return {.words = words.size() - i, .joined = {}};
  }
  if (words.empty()) return {};
  for (const std::string_view joined : kJoinedSuffixes) {
    if (words.back().ends_with(joined) && words.back().find("proj") != std::string_view::npos)
      return {.words = 0, .joined = joined};
  }
  return {};
}

}  // namespace

TensorName parse_tensor_name(std::string_view name) {
  TensorName parsed;
  std::vector<std::string_view> words = split(name);
  // The first few words say what the tensor is part of.
  std::size_t first = 0;
  for (std::size_t i = 0; i < words.size() && i < 4 && parsed.layer < 0; ++i) {
    if (words[i].starts_with("mtp") || words[i].starts_with("nextn")) {
      parsed.scope = NameScope::MultiToken;
    } else if (is_among(kTowerWords, words[i]) && !is_whole_encoder(words, i)) {
      parsed.scope = NameScope::Tower;
      break;
    }
    if (is_layer_word(words[i]) && i + 1 < words.size()) {
      if (const auto layer = number_of(words[i + 1])) {
        parsed.layer = *layer;
        first = i + 2;
      }
    }
  }
  const Suffix suffix = suffix_of(words, first);
  const std::size_t last = words.size() - suffix.words;
  parsed.suffix = join(words, last, words.size());
  if (!suffix.joined.empty()) {
    words.back().remove_suffix(suffix.joined.size());
    parsed.suffix = suffix.joined.substr(1);
  }
  if (parsed.scope == NameScope::Tower) {
    parsed.layer = -1;
    parsed.part = TensorPart::Tower;
    parsed.module = join(words, 0, last);
    return parsed;
  }
  if (parsed.layer >= 0) {
    if (parsed.scope == NameScope::Outer) parsed.scope = NameScope::Layer;
    parsed.module = module_of(words, first, last, parsed.expert);
    parsed.part = layer_part(parsed.module);
  } else {
    parsed.module = join(words, 0, last);
    parsed.part = outer_part(parsed.module);
    if (parsed.part == TensorPart::Head && last > 0) parsed.module = "lm_head";
    if (parsed.part == TensorPart::Embedding &&
        (parsed.module.ends_with("embed_tokens") || parsed.module.ends_with("tok_embeddings")))
      parsed.module = "model.embed_tokens";
  }
  if (parsed.scope == NameScope::MultiToken) parsed.part = TensorPart::MultiToken;
  if (parsed.suffix == "bias") {
    parsed.module += ".bias";
    parsed.suffix = "weight";
  }
  return parsed;
}

namespace {

// llama.cpp, gguf-py/gguf/constants.py (TENSOR_NAMES): its words for the modules of a layer.
struct GgufName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr auto kGgufLayerNames = std::to_array<GgufName>({
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_qkv", "self_attn.qkv_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"attn_q_a", "self_attn.q_a_proj"},
    {"attn_q_b", "self_attn.q_b_proj"},
    {"attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa"},
    {"attn_kv_b", "self_attn.kv_b_proj"},
    {"attn_k_b", "self_attn.k_b_proj"},
    {"attn_v_b", "self_attn.v_b_proj"},
    {"attn_q_a_norm", "self_attn.q_a_layernorm"},
    {"attn_kv_a_norm", "self_attn.kv_a_layernorm"},
    {"attn_sinks", "self_attn.sinks"},
    {"attn_gate", "linear_attn.in_proj_z"},
    {"attn_norm", "input_layernorm"},
    {"attn_norm_2", "further_layernorm"},
    {"post_attention_norm", "post_attention_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"post_ffw_norm", "post_feedforward_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
    {"ffn_gate_inp", "mlp.gate"},
    {"exp_probs_b", "mlp.gate.e_score_correction_bias"},
    {"ffn_gate_exps", "mlp.experts.gate_proj"},
    {"ffn_up_exps", "mlp.experts.up_proj"},
    {"ffn_gate_up_exps", "mlp.experts.gate_up_proj"},
    {"ffn_down_exps", "mlp.experts.down_proj"},
    {"ffn_gate_shexp", "mlp.shared_experts.gate_proj"},
    {"ffn_up_shexp", "mlp.shared_experts.up_proj"},
    {"ffn_down_shexp", "mlp.shared_experts.down_proj"},
    {"ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
    {"ssm_in", "mamba.in_proj"},
    {"ssm_out", "mamba.out_proj"},
    {"ssm_conv1d", "mamba.conv1d"},
    {"ssm_x", "mamba.x_proj"},
    {"ssm_dt", "mamba.dt_proj"},
    {"ssm_a", "mamba.A_log"},
    {"ssm_d", "mamba.D"},
    {"ssm_norm", "mamba.norm"},
    {"ssm_beta_alpha", "linear_attn.in_proj_ba"},
    {"shortconv.conv", "conv.conv"},
    {"shortconv.in_proj", "conv.in_proj"},
    {"shortconv.out_proj", "conv.out_proj"},
    {"indexer.attn_q_b", "self_attn.indexer.wq_b"},
    {"indexer.attn_k", "self_attn.indexer.wk"},
});
constexpr auto kGgufOuterNames = std::to_array<GgufName>({
    {"token_embd", "model.embed_tokens"},
    {"output", "lm_head"},
    {"output_norm", "model.norm"},
});

std::string ours(const auto& names, const std::string& theirs) {
  const auto found = std::ranges::find(names, theirs, &GgufName::theirs);
  return found == names.end() ? theirs : std::string(found->ours);
}

}  // namespace

TensorName parse_gguf_tensor_name(std::string_view name) {
  TensorName parsed;
  const std::vector<std::string_view> words = split(name);
  const Suffix suffix = suffix_of(words, 1);
  const std::size_t last = words.size() - suffix.words;
  parsed.suffix = join(words, last, words.size());
  const std::optional<std::int64_t> layer =
      words.size() > 2 && words[0] == "blk" ? number_of(words[1]) : std::nullopt;
  if (layer) {
    parsed.scope = NameScope::Layer;
    parsed.layer = *layer;
    const std::string theirs = join(words, 2, last);
    parsed.module = ours(kGgufLayerNames, theirs);
    parsed.part = theirs.starts_with("nextn") ? TensorPart::MultiToken : layer_part(parsed.module);
    if (theirs.starts_with("nextn")) parsed.scope = NameScope::MultiToken;
  } else if (!words.empty() && (words[0] == "v" || words[0] == "mm" || words[0] == "a")) {
    parsed.scope = NameScope::Tower;
    parsed.part = TensorPart::Tower;
    parsed.module = join(words, 0, last);
  } else {
    parsed.module = ours(kGgufOuterNames, join(words, 0, last));
    parsed.part = outer_part(parsed.module);
  }
  if (parsed.suffix == "bias") {
    parsed.module += ".bias";
    parsed.suffix = "weight";
  }
  return parsed;
}

}  // namespace gpushape::catalog
