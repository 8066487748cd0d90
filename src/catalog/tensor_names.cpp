#include "catalog/tensor_names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "catalog/tensor_words.hpp"

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

bool is_layer_word(std::string_view word) {
  return word == "layers" || word == "h" || word == "blocks" || word == "layer" || word == "blk";
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

/// "encoder" is a tower beside a decoder (Whisper), but the model itself in BERT ("encoder.layer")
/// and ChatGLM ("transformer.encoder").
bool is_whole_encoder(const std::vector<std::string_view>& words, std::size_t at) {
  if (words[at] != "encoder") return false;
  return (at + 1 < words.size() && words[at + 1] == "layer") ||
         (at > 0 && words[at - 1] == "transformer");
}

}  // namespace

TensorName parse_tensor_name(std::string_view name) {
  TensorName parsed;
  std::vector<std::string_view> words = split_words(name);
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
  parsed.suffix = join_words(words, last, words.size());
  if (!suffix.joined.empty()) {
    words.back().remove_suffix(suffix.joined.size());
    parsed.suffix = suffix.joined.substr(1);
  }
  if (parsed.scope == NameScope::Tower) {
    parsed.layer = -1;
    parsed.part = TensorPart::Tower;
    parsed.module = join_words(words, 0, last);
    return parsed;
  }
  if (parsed.layer >= 0) {
    if (parsed.scope == NameScope::Outer) parsed.scope = NameScope::Layer;
    parsed.module = module_of(words, first, last, parsed.expert);
    parsed.part = layer_part(parsed.module);
  } else {
    parsed.module = join_words(words, 0, last);
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

}  // namespace gpushape::catalog
