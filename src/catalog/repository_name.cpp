#include "catalog/repository_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gpushape::catalog {
namespace {

using domain::KvCacheType;
using domain::Quantization;

constexpr std::string_view kRedHat =
    "naming of RedHatAI and neuralmagic repositories: llm-compressor, lm_head kept in 16 bits";
constexpr std::string_view kModelOpt =
    "naming of nvidia repositories: ModelOpt, lm_head kept in 16 bits, FP8 KV cache scales";
constexpr std::string_view kPacking = "naming of AutoGPTQ and AutoAWQ repositories, groups of 128";

// RedHatAI's rows agree with published totals: Qwen3-32B-FP8-dynamic holds one scale per output row
// more than Qwen3-32B (4'587'520), Qwen3-32B-quantized.w4a16 one 16-bit scale per 128 inputs.
constexpr auto kSuffixes = std::to_array<RepositorySuffix>({
    {.suffix = "-fp8",
     .organization = "qwen",
     .linear = Quantization::Fp8Block,
     .source = "config.json of Qwen/Qwen3-32B-FP8: weight_block_size [128, 128]"},
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
     .source = "hf_quant_config.json of nvidia/Qwen3-32B-NVFP4: NVFP4 weights, FP8 KV"},
    {.suffix = "-fp8-kv",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .source = kModelOpt},
    {.suffix = "-fp8-dynamic", .linear = Quantization::Fp8Channel, .source = kRedHat},
    {.suffix = "-fp8-block", .linear = Quantization::Fp8Block, .source = kRedHat},
    {.suffix = "-fp8",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .source = kRedHat},
    {.suffix = "-quantized.w4a16", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-quantized.w8a8", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-quantized.w8a16", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-nvfp4", .linear = Quantization::Nvfp4, .source = kRedHat},
    {.suffix = "-awq", .linear = Quantization::Awq, .source = kPacking},
    {.suffix = "-awq-int4", .linear = Quantization::Awq, .source = kPacking},
    {.suffix = "-gptq", .linear = Quantization::Int4, .source = kPacking},
    {.suffix = "-gptq-int4", .linear = Quantization::Int4, .source = kPacking},
    {.suffix = "-gptq-int8", .linear = Quantization::Int8, .group = 128, .source = kPacking},
    {.suffix = "-bnb-4bit",
     .linear = Quantization::BnbNf4Double,
     .source = "naming of bitsandbytes repositories: nf4, double quantized, lm_head in 16 bits"},
});

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

}  // namespace

std::span<const RepositorySuffix> repository_suffixes() { return kSuffixes; }

std::optional<QuantizedName> quantized_name(std::string_view repository) {
  const std::string name = lower(repository);
  const std::size_t slash = name.find('/');
  const std::string organization = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  const RepositorySuffix* best = nullptr;
  for (const RepositorySuffix& row : kSuffixes) {
    if (!row.organization.empty() && row.organization != organization) continue;
    if (!name.ends_with(row.suffix) || name.size() - start <= row.suffix.size()) continue;
    if (best == nullptr || row.suffix.size() > best->suffix.size()) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  return QuantizedName{name.substr(start, name.size() - start - best->suffix.size()), best};
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
  base.weights.linear = suffix.linear;
  base.weights.group = suffix.group;
  base.weights.static_activation_scales = suffix.static_activation_scales;
  base.weights.kept = {"lm_head"};
  base.checkpoint_kv_cache = suffix.kv_cache;
  base.parameters.stored.reset();
  return base;
}

}  // namespace gpushape::catalog
