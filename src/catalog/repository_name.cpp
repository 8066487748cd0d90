#include "catalog/repository_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "catalog/quantization_methods.hpp"
#include "domain/modules.hpp"
#include "domain/parameter_counts.hpp"

namespace gpushape::catalog {
namespace {

using domain::KvCacheType;
using domain::Quantization;

constexpr std::string_view kRedHat =
    "naming of RedHatAI and neuralmagic repositories: llm-compressor, lm_head kept in 16 bits";
constexpr std::string_view kRedHatNvfp4 =
    "naming of RedHatAI and neuralmagic repositories: llm-compressor, lm_head and linear attention "
    "kept in 16 bits (https://docs.vllm.ai/projects/llm-compressor, Qwen3.6 NVFP4 MoE example)";
constexpr std::string_view kRedHatDynamic =
    "naming of RedHatAI and neuralmagic repositories: llm-compressor, lm_head and linear attention "
    "kept in 16 bits (https://docs.vllm.ai/projects/llm-compressor, Qwen3-Next FP8 example)";
constexpr std::string_view kModelOpt =
    "naming of nvidia repositories: ModelOpt, lm_head kept in 16 bits, FP8 KV cache scales";
constexpr std::string_view kAwq =
    "naming of AutoAWQ repositories: 4 bits, groups of 128, zero points, lm_head in 16 bits";
constexpr std::string_view kGptq =
    "naming of AutoGPTQ repositories: groups of 128, lm_head in 16 bits";
constexpr std::string_view kAutoRound =
    "naming of AutoRound repositories: 4 bits in GPTQ packing, groups of 128, lm_head in 16 bits";
constexpr std::string_view kBitsAndBytes =
    "naming of bitsandbytes repositories: nf4, double quantized, lm_head in 16 bits";
// mlx.core.quantize: a 16-bit scale and a 16-bit bias for 64 weights, which is as much as a 16-bit
// scale for 32.
constexpr std::string_view kMlx =
    "naming of mlx-community repositories: groups of 64 with a 16-bit scale and bias, head "
    "included";
constexpr int kMlxGroup = 32;
constexpr std::string_view kNamesNoType =
    "llama.cpp common/arg.cpp: of a repository with files of many types, -hf takes Q4_K_M where "
    "none is named; another one by --quant";
constexpr std::string_view kGguf = "naming of GGUF files by llama.cpp's block types";

// RedHatAI's rows agree with published totals: Qwen3-32B-FP8-dynamic holds one scale per output row
// more than Qwen3-32B (4'587'520), Qwen3-32B-quantized.w4a16 one 16-bit scale per 128 inputs.
constexpr auto kSuffixes = std::to_array<RepositorySuffix>({
    {.suffix = "-fp8",
     .organization = "qwen",
     .linear = Quantization::Fp8Block,
     .source = "config.json of Qwen/Qwen3-32B-FP8: weight_block_size [128, 128]"},
    {.suffix = "-fp8",
     .organization = "unsloth",
     .linear = Quantization::Fp8Block,
     .source =
         "unsloth's copies of the publishers' FP8 repositories: weight_block_size [128, 128]"},
    {.suffix = "-fp8",
     .organization = "nvidia",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .source = "hf_quant_config.json of nvidia/Llama-3.1-70B-Instruct-FP8: FP8 weights and KV"},
    {.suffix = "-nvfp4",
     .organization = "nvidia",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .mixers = Quantization::Fp8,
     .source = "hf_quant_config.json of nvidia/Qwen3-32B-NVFP4: NVFP4 weights, FP8 KV; of "
               "nvidia/Qwen3.6-27B-NVFP4: attention of both kinds in FP8"},
    {.suffix = "-nvfp4",
     .organization = "unsloth",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .mixers = Quantization::Fp8Channel,
     .source = "https://unsloth.ai/docs/basics/nvfp4: some layers in FP8, calibrated FP8 KV"},
    {.suffix = "-fp4",
     .organization = "nvidia",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .source = "the older naming of nvidia repositories in NVFP4"},
    {.suffix = "-fp8",
     .organization = "meta-llama",
     .linear = Quantization::Fp8Channel,
     .source = "config.json of meta-llama/Llama-3.1-405B-Instruct-FP8: fbgemm_fp8, scales by row"},
    {.suffix = "-fp8-kv",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .source = kModelOpt},
    {.suffix = "-fp8-dynamic",
     .linear = Quantization::Fp8Channel,
     .keeps_linear_attention = true,
     .source = kRedHatDynamic},
    {.suffix = "-fp8-block", .linear = Quantization::Fp8Block, .source = kRedHat},
    {.suffix = "-fp8",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .source = kRedHat},
    // Before llm-compressor: model cards of July 2024, and vLLM 0.19 starts one with gptq_marlin.
    {.suffix = "-quantized.w4a16",
     .base = "meta-llama-3",
     .linear = Quantization::GptqInt4,
     .source = "model card of RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16: AutoGPTQ"},
    {.suffix = "-quantized.w8a16",
     .base = "meta-llama-3",
     .linear = Quantization::GptqInt8,
     .group = domain::kWholeRow,
     .source = "model card of RedHatAI/Meta-Llama-3-8B-Instruct-quantized.w8a16: AutoGPTQ, one "
               "scale per output row"},
    {.suffix = "-quantized.w4a16", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-quantized.w8a8", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-quantized.w8a16", .linear = Quantization::Int8Weight, .source = kRedHat},
    {.suffix = "-w4a16", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-int4-w4a16", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-w4a16-g128", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-w8a8", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-w8a16", .linear = Quantization::Int8Weight, .source = kRedHat},
    {.suffix = "-nvfp4",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .source = kRedHatNvfp4},
    {.suffix = "-mxfp4",
     .linear = Quantization::Mxfp4,
     .source = "naming of repositories in OCP Microscaling formats"},
    {.suffix = "-awq", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-awq-int4", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-awq-4bit", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-autoawq", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-gptq", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-gptq-int4", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-gptq-4bit", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-autoround-gptq-4bit", .linear = Quantization::GptqInt4, .source = kAutoRound},
    {.suffix = "-gptq-int8", .linear = Quantization::GptqInt8, .source = kGptq},
    {.suffix = "-gptq-8bit", .linear = Quantization::GptqInt8, .source = kGptq},
    {.suffix = "-int4",
     .linear = Quantization::Int4,
     .source = "naming of 4-bit integer repositories: groups of 128, lm_head in 16 bits"},
    {.suffix = "-int8",
     .linear = Quantization::Int8,
     .source = "naming of 8-bit integer repositories: w8a8, lm_head in 16 bits"},
    {.suffix = "-autoround", .linear = Quantization::GptqInt4, .source = kAutoRound},
    {.suffix = "-autoround-int4", .linear = Quantization::GptqInt4, .source = kAutoRound},
    {.suffix = "-int4-autoround", .linear = Quantization::GptqInt4, .source = kAutoRound},
    {.suffix = "-bnb-4bit", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-unsloth-bnb-4bit", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-bnb-nf4", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-bnb-8bit",
     .linear = Quantization::BnbInt8,
     .source = "naming of bitsandbytes repositories: LLM.int8(), lm_head in 16 bits"},
    {.suffix = "-4bit",
     .organization = "mlx-community",
     .linear = Quantization::Int4,
     .group = kMlxGroup,
     .head_quantized = true,
     .source = kMlx},
    {.suffix = "-8bit",
     .organization = "mlx-community",
     .linear = Quantization::Int8Weight,
     .group = kMlxGroup,
     .head_quantized = true,
     .source = kMlx},
    {.suffix = "-mlx-4bit",
     .linear = Quantization::Int4,
     .group = kMlxGroup,
     .head_quantized = true,
     .source = kMlx},
    {.suffix = "-mlx-8bit",
     .linear = Quantization::Int8Weight,
     .group = kMlxGroup,
     .head_quantized = true,
     .source = kMlx},
    {.suffix = "-gguf", .linear = Quantization::MixQ4KM, .source = kNamesNoType},
    {.suffix = "-bf16", .linear = Quantization::Bf16, .source = "the name says bf16"},
    {.suffix = "-fp16", .linear = Quantization::Fp16, .source = "the name says fp16"},
    {.suffix = "-q4_0", .linear = Quantization::Q4_0, .source = kGguf},
    {.suffix = "-q4_k", .linear = Quantization::Q4K, .source = kGguf},
    {.suffix = "-q4_k - medium", .linear = Quantization::MixQ4KM, .source = kGguf},
    {.suffix = "-q4_k_m", .linear = Quantization::MixQ4KM, .source = kGguf},
    {.suffix = "-q4_k_s", .linear = Quantization::MixQ4KS, .source = kGguf},
    {.suffix = "-q2_k", .linear = Quantization::Q2K, .source = kGguf},
    {.suffix = "-q3_k_m", .linear = Quantization::MixQ3KM, .source = kGguf},
    {.suffix = "-iq4_xs", .linear = Quantization::Iq4Xs, .source = kGguf},
    {.suffix = "-q5_k_s", .linear = Quantization::MixQ5KS, .source = kGguf},
    {.suffix = "-q5_k_m", .linear = Quantization::MixQ5KM, .source = kGguf},
    {.suffix = "-q6_k", .linear = Quantization::Q6K, .source = kGguf},
    {.suffix = "-q8_0", .linear = Quantization::Q8_0, .source = kGguf},
});

// Every mark is a hyphen: "GPTQ_int4", "llama 3.1", Ollama's "gemma3:27b". The length stays.
std::string folded(std::string_view text) {
  std::string result = lower_case(std::string(text));
  std::ranges::replace_if(
      result, [](char c) { return c == '_' || c == '.' || c == ' ' || c == ':'; }, '-');
  return result;
}

std::string_view after_owner(std::string_view repository) {
  const std::size_t slash = repository.rfind('/');
  return slash == std::string_view::npos ? repository : repository.substr(slash + 1);
}

/// Owners that converters and bartowski's GGUF repositories ("google_gemma-3-27b-it-GGUF") put
/// before a model's name; what follows must be the name of a model.
struct OwnerWord {
  std::string_view word;
  std::string_view next = {};  ///< what the name behind it begins with; empty for any
};
constexpr auto kOwnerWords = std::to_array<OwnerWord>({
    {"models-"},
    {"meta-llama-", "llama-"},
    {"meta-"},
    {"nvidia-"},
    {"mistralai-"},
    {"google-"},
    {"openai-", "gpt-oss"},
    {"deepseek-ai-"},
    {"microsoft-"},
    {"qwen-", "qw"},
    {"zai-org-"},
    {"ibm-granite-", "granite"},
});

/// Tools that take refusals out of a model change values alone, so that its tensors are the base's
/// (https://github.com/p-e-w/heretic, https://huggingface.co/blog/mlabonne/abliteration): the words
/// that their users add to its name, longer ones first.
constexpr auto kAlterations = std::to_array<std::string_view>({
    "-absolute-heresy",
    "-heresy",
    "-heretic",
    "-abliterated",
    "-abliteration",
    "-uncensored",
    "-decensored",
    "-derestricted",
});

/// "-v2" that stands at the beginning of `text`: its length, else 0.
std::size_t revision_length(std::string_view text) {
  if (!text.starts_with("-v")) return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 2), text.size());
  return end > 2 && (end == text.size() || text[end] == '-') ? end : 0;
}

bool drop_owner(std::string& name) {
  for (const OwnerWord& owner : kOwnerWords) {
    const std::string_view text = name;
    if (!text.starts_with(owner.word) || !text.substr(owner.word.size()).starts_with(owner.next))
      continue;
    name.erase(0, owner.word.size());
    return true;
  }
  return false;
}

// What stays in 16 bits beside the head: routers of mixtures, whose few values every tool leaves
// alone (llm-compressor's and AutoAWQ's own recipes), and layers that predict further tokens, which
// transformers does not load, so that tools copy them as they are (llm-compressor's examples for
// Qwen3.6: save_mtp_tensors_to_checkpoint). Publishers of FP8 in blocks and llama.cpp quantize
// those.
const std::vector<std::string> kKept = {"lm_head", "gate", "router", "shared_expert_gate"};
constexpr std::string_view kPrediction = "mtp";
constexpr std::string_view kLinearAttention = "re:.*linear_attn.*";
constexpr std::string_view kFullAttention = "re:.*self_attn.*";

bool has_linear_attention(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    return run.layer.attention.kind == domain::LayerKind::Recurrent;
  });
}

domain::WeightFormat format_of_suffix(const RepositorySuffix& suffix, const domain::Model& base) {
  domain::WeightFormat format;
  format.other = base.weights.other;
  format.linear = suffix.linear;
  format.group = suffix.group;
  format.static_activation_scales = suffix.static_activation_scales;
  format.head_quantized = suffix.head_quantized;
  format.is_told_by_name = true;
  if (domain::scheme(suffix.linear).granularity == domain::ScaleGranularity::None) {
    format.other = suffix.linear;
    return format;
  }
  format.kept = kKept;
  if (suffix.head_quantized) format.kept.erase(format.kept.begin());
  const bool is_file_type = domain::scheme(suffix.linear).is_interleaved;
  if (suffix.linear != Quantization::Fp8Block && !is_file_type)
    format.kept.emplace_back(kPrediction);
  if (!has_linear_attention(base)) return format;
  if (suffix.keeps_linear_attention) format.kept.emplace_back(kLinearAttention);
  if (suffix.mixers) {
    for (const std::string_view mixer : {kLinearAttention, kFullAttention}) {
      format.modules.push_back({.pattern = std::string(mixer),
                                .quantization = *suffix.mixers,
                                .static_activation_scales = suffix.static_activation_scales});
    }
  }
  return format;
}

}  // namespace

std::span<const RepositorySuffix> repository_suffixes() { return kSuffixes; }

std::string comparable_name(std::string_view repository) {
  std::string name = folded(after_owner(repository));
  while (drop_owner(name)) {
  }
  for (const std::string_view variant : {"-hf", "-qat"}) {
    if (name.ends_with(variant)) name.erase(name.size() - variant.size());
  }
  // "llama-2" is "llama2".
  for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at)) {
    const bool is_before_digit = at > 0 && at + 1 < name.size() &&
                                 std::isalpha(static_cast<unsigned char>(name[at - 1])) != 0 &&
                                 std::isdigit(static_cast<unsigned char>(name[at + 1])) != 0;
    if (is_before_digit) {
      name.erase(at, 1);
    } else {
      ++at;
    }
  }
  return name;
}

std::optional<std::string> unaltered_name(std::string_view repository) {
  std::string name(after_owner(repository));
  const std::string text = folded(name);
  for (const std::string_view word : kAlterations) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) continue;
    const std::size_t end = at + word.size();
    if (end < text.size() && text[end] != '-') continue;
    name.erase(at, word.size() + revision_length(std::string_view(text).substr(end)));
    // huihui-ai's repositories: "Huihui-gpt-oss-20b-mxfp4-abliterated".
    constexpr std::string_view kHuihui = "huihui-";
    if (text.starts_with(kHuihui)) name.erase(0, kHuihui.size());
    return name;
  }
  return std::nullopt;
}

std::string_view without_gguf(std::string_view repository) {
  constexpr std::size_t kLength = 5;  // of "-gguf"
  if (folded(repository).ends_with("-gguf") && after_owner(repository).size() > kLength)
    repository.remove_suffix(kLength);
  return repository;
}

namespace {

std::optional<QuantizedName> name_with_suffix(std::string_view repository) {
  const std::string name = lower_case(std::string(repository));
  const std::string text = folded(name);
  const std::size_t slash = name.rfind('/');
  const std::string organization = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  const RepositorySuffix* best = nullptr;
  for (const RepositorySuffix& row : kSuffixes) {
    if (!row.organization.empty() && row.organization != organization) continue;
    if (!std::string_view(name).substr(start).starts_with(row.base)) continue;
    if (!text.ends_with(folded(row.suffix)) || text.size() - start <= row.suffix.size()) continue;
    if (best == nullptr || row.suffix.size() > best->suffix.size()) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  return QuantizedName{name.substr(start, name.size() - start - best->suffix.size()), best};
}

}  // namespace

std::optional<QuantizedName> quantized_name(std::string_view repository) {
  const std::string_view bare = without_gguf(repository);
  if (auto named = name_with_suffix(bare)) return named;
  return bare == repository ? std::nullopt : name_with_suffix(repository);
}

domain::Model renamed(domain::Model base, std::string_view repository) {
  base.notes.push_back(fmt::format("'{}' has no entry of its own: read as {}, whose name it bears",
                                   repository, base.id));
  base.id = repository;
  base.aliases.clear();
  base.weights.is_told_by_name = true;
  return base;
}

domain::Model requantized(domain::Model base, std::string_view repository,
                          const RepositorySuffix& suffix) {
  base.notes.push_back(
      fmt::format("'{}' has no entry of its own: read as {} with {} weights, because its name ends "
                  "in '{}' ({})",
                  repository, base.id, name_of(suffix.linear), suffix.suffix, suffix.source));
  base.sources.push_back({"quantization", std::string(suffix.source)});
  base.id = repository;
  base.aliases.clear();
  base.weights = format_of_suffix(suffix, base);
  base.checkpoint_kv_cache = suffix.kv_cache;
  base.parameters.stored.reset();
  domain::resolve_modules(base);
  domain::count_all_parameters(base);
  return base;
}

}  // namespace gpushape::catalog
