// What the name of a quantized repository tells: the base model, and the precision of its weights.
//
// Publishers of quantized checkpoints keep to a few suffixes: "-quantized.w4a16", "-FP8-dynamic",
// "-AWQ" … The rows say what each means and for whose repositories.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/model.hpp"

namespace gpushape::catalog {

inline constexpr std::string_view kAnyOrganization;

/// Modules of all layers with attention of these kinds.
inline constexpr std::string_view kFullAttention = "re:.*self_attn.*";
inline constexpr std::string_view kLinearAttention = "re:.*linear_attn.*";

/// Modules by pattern, and what they hold.
struct ModulePrecision {
  std::string_view pattern;
  domain::Quantization quantization = domain::Quantization::Bf16;
};

struct RepositorySuffix {
  std::string_view suffix = {};  ///< lower case, with its hyphen or any mark before it
  std::string_view organization = kAnyOrganization;  ///< lower case
  std::string_view base = {};  ///< what the name begins with, lower case; empty for any
  domain::Quantization linear = domain::Quantization::Bf16;
  int group = 0;        ///< WeightFormat::group; 0: the usual one, but publishers differ
  int dense_group = 0;  ///< as `group`, of models without experts and recurrence
  bool static_activation_scales = false;
  std::optional<domain::KvCacheType> kv_cache = std::nullopt;
  bool head_quantized = false;
  double richer = 0;             ///< WeightFormat::richer
  bool keeps_attention = false;  ///< of every kind, in 16 bits
  /// Of models with linear attention: its layers stay in 16 bits.
  bool keeps_linear_attention = false;
  /// Of models with linear attention: how all attention is stored instead.
  std::optional<domain::Quantization> mixers = std::nullopt;
  std::array<std::string_view, 3> kept = {};    ///< further modules in 16 bits; empty: none
  std::array<ModulePrecision, 2> modules = {};  ///< of others than `linear`; empty: none
  /// WeightFormat::zero_points; of a row for any base, of models without experts.
  bool zero_points = false;
  bool is_text_alone = false;   ///< without the base's encoders
  bool has_two_tables = false;  ///< stores the head beside the embedding that the base ties it to
  bool names_no_type = false;   ///< of several files in a repository: `linear` is the usual one
  double files_gb = 0;          ///< what the repository's files take; 0 where the recipe tells it
  bool is_whole = false;        ///< says all there is to say: the publisher leaves nothing open
  std::string_view source = {};
};

/// Rows for one organization or base stand before those for any.
std::span<const RepositorySuffix> repository_suffixes();

struct QuantizedName {
  std::string base;  ///< the name without organization and suffix
  const RepositorySuffix* suffix = nullptr;
};

/// Lower case, every mark a hyphen: "GPTQ_int4", "llama 3.1", Ollama's "gemma3:27b". The length
/// stays.
std::string folded(std::string_view text);

/// A name by which names are compared: lower case, without owner, every mark a hyphen, without what
/// mirrors leave out or add ("Meta-Llama-3" is "Llama3", "Llama-2-7b-hf" is "llama2-7b",
/// "google_gemma-3-4b-it" is "gemma3-4b-it").
std::string comparable_name(std::string_view repository);

/// Comparable, without any marks: folders are often called "qwen25-vl-7b-instruct".
std::string unmarked_name(std::string_view repository);

/// Comparable, without the month of its release: "qwen3-4b-thinking" of "Qwen3-4B-Thinking-2507".
std::string undated_name(std::string_view repository);

/// The base of a model whose name says that it was altered without a change of its tensors: of
/// "huihui-ai/Huihui-Qwen3-8B-abliterated-v2", "Qwen3-8B". Nothing where it does not say so.
std::optional<std::string> unaltered_name(std::string_view repository);

/// "qwen3-8b" of "qwen3-8b-instruct": what people add to the name of a model that has no other
/// kind. Nothing where no such word ends the name.
std::optional<std::string_view> untaught_name(std::string_view repository);

/// Of unsloth's repositories whose context is stretched to 131'072 tokens ("Qwen3-8B-128K-GGUF"),
/// the name without that word. Nothing for others.
std::optional<std::string> shorter_name(std::string_view repository);

/// The name without what says only that the files are GGUF, whatever their types.
std::string_view without_gguf(std::string_view repository);

/// Nothing where the name has no such suffix.
std::optional<QuantizedName> quantized_name(std::string_view repository);

}  // namespace gpushape::catalog
