// What the ends of repository names tell of the weights' format.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "catalog/format_tail.hpp"
#include "catalog/publisher_rows.hpp"
#include "catalog/quantization_names.hpp"
#include "catalog/repository_name.hpp"

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
    "naming of AutoAWQ repositories: 4 bits, groups of 128, zero points, lm_head in 16 bits; "
    "116 of 117 config files of such names say 128";
constexpr std::string_view kGptq =
    "naming of AutoGPTQ repositories: groups of 128, lm_head in 16 bits";
constexpr std::string_view kAutoRound =
    "naming of AutoRound repositories: 4 bits in GPTQ packing, groups of 128, lm_head in 16 bits; "
    "26 of 27 config files of such names say 128";
constexpr std::string_view kBitsAndBytes =
    "naming of bitsandbytes repositories: nf4, double quantized, lm_head in 16 bits";
constexpr std::string_view kCohere =
    "model card of CohereForAI/c4ai-command-r-v01-4bit: bitsandbytes in 4 bits, which does not say "
    "that the scales are quantized too";
constexpr std::string_view kHqq =
    "naming of HQQ repositories: 4 bits, groups of 64 (the default of hqq's BaseQuantizeConfig), "
    "lm_head in 16 bits";
constexpr std::string_view kEetq =
    "naming of EETQ repositories: 8-bit weights, one 16-bit scale per output row, lm_head in 16 "
    "bits (transformers' EetqConfig)";
constexpr std::string_view kIntel =
    "naming of OPEA and Intel repositories: AutoRound, 4 bits in GPTQ packing, groups of 128, "
    "lm_head in 16 bits; 18 of 19 config files of such names say 128";
constexpr std::string_view kMx = "naming of repositories in OCP Microscaling formats";
// mlx.core.quantize: a 16-bit scale and a 16-bit bias for 64 weights, which is as much as a 16-bit
// scale for 32.
constexpr std::string_view kMlx =
    "naming of mlx-community repositories: groups of 64 with a 16-bit scale and bias, head "
    "included";
constexpr int kMlxGroup = 32;
constexpr std::string_view kNamesNoType =
    "llama.cpp common/arg.cpp: of a repository with files of many types, -hf takes Q4_K_M where "
    "none is named; another one by --quant";
constexpr std::string_view kUnsloth =
    "https://unsloth.ai/docs/basics/unsloth-dynamic-2.0-ggufs: the UD- may be left out";
constexpr std::string_view kWordOfFlag = "the word, as --quant reads it; lm_head kept in 16 bits";
constexpr std::string_view kGguf = "naming of GGUF files by llama.cpp's block types";

constexpr RepositorySuffix of_mlx(std::string_view suffix, Quantization linear,
                                  std::string_view organization = {}) {
  return by(organization, kAnyBase, suffix,
            {.linear = linear, .group = kMlxGroup, .head_quantized = true}, kMlx);
}

// RedHatAI's rows agree with published totals: Qwen3-32B-FP8-dynamic holds one scale per output row
// more than Qwen3-32B (4'587'520), Qwen3-32B-quantized.w4a16 one 16-bit scale per 128 inputs.
constexpr auto kSuffixes = std::to_array<RepositorySuffix>({
    {.suffix = "-fp8",
     .organization = "qwen",
     .linear = Quantization::Fp8Block,
     .kept = {kSmallProjections},
     .source = "config.json of Qwen/Qwen3-32B-FP8: weight_block_size [128, 128]; projections of "
               "fewer rows than a block stay in 16 bits: Qwen3.8-27B-FP8 loads 28.51 GiB by 0.26.0 "
               "on L40S"},
    {.suffix = "-fp8",
     .organization = "unsloth",
     .linear = Quantization::Fp8Block,
     .kept = {kSmallProjections},
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
    {.suffix = "-fp8",
     .organization = "zai-org",
     .linear = Quantization::Fp8Channel,
     .source = "published totals: zai-org/GLM-4.6V-FP8 holds 107751931136 values, one for each "
               "output row of its quantized matrices more than the model"},
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
    {.suffix = "-autofp8",
     .linear = Quantization::Fp8,
     .static_activation_scales = true,
     .source = "naming of AutoFP8, llm-compressor's forerunner: one scale per tensor, lm_head kept "
               "in 16 bits"},
    // Before llm-compressor: model cards of July 2024, and vLLM 0.19 starts one with gptq_marlin.
    {.suffix = "-quantized.w4a16",
     .base = "meta-llama-3",
     .linear = Quantization::GptqInt4,
     .group = kUsual,
     .source = "model card of RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16: AutoGPTQ"},
    {.suffix = "-quantized.w8a16",
     .base = "meta-llama-3",
     .linear = Quantization::GptqInt8,
     .group = domain::kWholeRow,
     .source = "model card of RedHatAI/Meta-Llama-3-8B-Instruct-quantized.w8a16: AutoGPTQ, one "
               "scale per output row"},
    {.suffix = "-quantized.w4a16",
     .base = "llama-4",
     .linear = Quantization::Int4,
     .group = kUsual,
     .keeps_attention = true,
     .source = "published total of RedHatAI/Llama-4-Scout-17B-16E-Instruct-quantized.w4a16, "
               "19601967392: attention and lm_head kept in 16 bits"},
    {.suffix = "-quantized.w4a16",
     .base = "granite-3.1-2b",
     .linear = Quantization::Int4,
     .group = kHalf,
     .source = "published total of RedHatAI/granite-3.1-2b-instruct-quantized.w4a16, 543603248: "
               "groups of 64, lm_head kept in 16 bits"},
    {.suffix = "-quantized.w4a16",
     .linear = Quantization::Int4,
     .group = kUsual,
     .source = kRedHat},
    {.suffix = "-quantized.w8a8", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-quantized.w8a16", .linear = Quantization::Int8Weight, .source = kRedHat},
    {.suffix = "-w4a16", .linear = Quantization::Int4, .source = kRedHat},
    {.suffix = "-w8a8", .linear = Quantization::Int8, .source = kRedHat},
    {.suffix = "-w8a16", .linear = Quantization::Int8Weight, .source = kRedHat},
    {.suffix = "-nvfp4",
     .base = "mistral-small-4",
     .linear = Quantization::Nvfp4,
     .keeps_attention = true,
     .source = "mistralai/Mistral-Small-4-119B-2603-NVFP4: its files take 65.95 GiB "
               "(https://github.com/kaito-project/kaito), 65.94 with attention in 16 bits"},
    {.suffix = "-nvfp4",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .source = kRedHatNvfp4},
    {.suffix = "-nvfp4a16",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .source = "llm-compressor's scheme NVFP4A16: NVFP4 weights, inputs in 16 bits, lm_head and "
               "linear attention kept in 16 bits"},
    {.suffix = "-mxfp4", .linear = Quantization::Mxfp4, .source = kMx},
    {.suffix = "-mxfp4-preview",
     .organization = "amd",
     .linear = Quantization::Mxfp4,
     .source = kMx},
    {.suffix = "-awq", .linear = Quantization::Awq, .dense_group = kUsual, .source = kAwq},
    {.suffix = "-awq-int4", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-int4-awq", .linear = Quantization::Awq, .dense_group = kUsual, .source = kAwq},
    {.suffix = "-awq-4bit", .linear = Quantization::Awq, .source = kAwq},
    {.suffix = "-4bit-awq", .linear = Quantization::Awq, .dense_group = kUsual, .source = kAwq},
    {.suffix = "-autoawq", .linear = Quantization::Awq, .dense_group = kUsual, .source = kAwq},
    {.suffix = "-gptq", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-gptq-int4", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-gptq-4bit", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-4bit-gptq", .linear = Quantization::GptqInt4, .source = kGptq},
    {.suffix = "-autoround-gptq-4bit",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-autoround-gptq-4bit-sym",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-autoround-gptq-4bit-asym",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-gptq-4b-128g",
     .linear = Quantization::GptqInt4,
     .group = kUsual,
     .source = "naming of ISTA-DASLab repositories: 4 bits, groups of 128, lm_head in 16 bits"},
    {.suffix = "-gptq-3bit", .linear = Quantization::GptqInt3, .source = kGptq},
    {.suffix = "-gptq-2bit", .linear = Quantization::GptqInt2, .source = kGptq},
    {.suffix = "-int4-sym-gptq-inc",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kIntel},
    {.suffix = "-int4-sym-inc",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kIntel},
    {.suffix = "-int4-inc",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kIntel},
    {.suffix = "-gptq-int8", .linear = Quantization::GptqInt8, .source = kGptq},
    {.suffix = "-gptq-8bit", .linear = Quantization::GptqInt8, .source = kGptq},
    {.suffix = "-8bit-gptq", .linear = Quantization::GptqInt8, .source = kGptq},
    {.suffix = "-int4",
     .linear = Quantization::Int4,
     .source = "naming of 4-bit integer repositories: groups of 128, lm_head in 16 bits"},
    {.suffix = "-int8",
     .linear = Quantization::Int8,
     .source = "naming of 8-bit integer repositories: w8a8, lm_head in 16 bits"},
    {.suffix = "-autoround",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-w4a16-autoround",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-autoround-w4a16",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-autoround-w4g128",
     .linear = Quantization::GptqInt4,
     .group = kUsual,
     .source = kAutoRound},
    {.suffix = "-autoround-w4g64",
     .linear = Quantization::GptqInt4,
     .group = kHalf,
     .source = kAutoRound},
    {.suffix = "-autoround-nvfp4",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .source = "naming of AutoRound repositories: NVFP4, lm_head and linear attention in 16 bits"},
    {.suffix = "-autoround-int4",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-int4-autoround",
     .linear = Quantization::GptqInt4,
     .dense_group = kUsual,
     .source = kAutoRound},
    {.suffix = "-bnb-4bit", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-unsloth-bnb-4bit",
     .linear = Quantization::BnbNf4Double,
     .richer = 0.2,
     .source =
         "https://unsloth.ai/blog/dynamic-4bit: bitsandbytes nf4, with layers in 16 bits that "
         "are chosen model by model: of Llama-3.1-8B 5 % more, of Qwen2.5-0.5B 11, of QwQ-32B 17 "
         "(10.80 and 10.30 GiB on two GPUs, https://github.com/vllm-project/vllm/issues/14452)"},
    {.suffix = "-bnb-nf4", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-bnb-nf4-bf16", .linear = Quantization::BnbNf4Double, .source = kBitsAndBytes},
    {.suffix = "-4bit",
     .organization = "cohereforai",
     .linear = Quantization::BnbNf4,
     .source = kCohere},
    {.suffix = "-4bit",
     .organization = "coherelabs",
     .linear = Quantization::BnbNf4,
     .source = kCohere},
    {.suffix = "-hqq", .linear = Quantization::Awq, .group = kHalf, .source = kHqq},
    {.suffix = "-4bit-hqq", .linear = Quantization::Awq, .group = kHalf, .source = kHqq},
    {.suffix = "-hqq-4bit", .linear = Quantization::Awq, .group = kHalf, .source = kHqq},
    {.suffix = "-4bit-g64-hqq", .linear = Quantization::Awq, .group = kHalf, .source = kHqq},
    {.suffix = "-4bitgs64-hqq", .linear = Quantization::Awq, .group = kHalf, .source = kHqq},
    {.suffix = "-eetq", .linear = Quantization::Int8Weight, .source = kEetq},
    {.suffix = "-bnb-8bit",
     .linear = Quantization::BnbInt8,
     .source = "naming of bitsandbytes repositories: LLM.int8(), lm_head in 16 bits"},
    of_mlx("-4bit", Quantization::Int4, "mlx-community"),
    of_mlx("-8bit", Quantization::Int8Weight, "mlx-community"),
    of_mlx("-4bit-dwq", Quantization::Int4),
    of_mlx("-4bit-mlx", Quantization::Int4),
    of_mlx("-8bit-mlx", Quantization::Int8Weight),
    {.suffix = "-mlx-4bit",
     .organization = "qwen",
     .linear = Quantization::Int4,
     .group = 2 * kMlxGroup,
     .head_quantized = true,
     .source = "published total of Qwen/Qwen3-4B-MLX-4bit, 565828096: groups of 128 with a scale "
               "and a bias, head included"},
    of_mlx("-mlx-4bit", Quantization::Int4),
    of_mlx("-mlx-8bit", Quantization::Int8Weight),
    {.suffix = "-gguf",
     .linear = Quantization::MixQ4KM,
     .names_no_type = true,
     .source = kNamesNoType},
    {.suffix = "-bf16", .linear = Quantization::Bf16, .source = "the name says bf16"},
    {.suffix = "-fp16", .linear = Quantization::Fp16, .source = "the name says fp16"},
    {.suffix = "-q2_k_xl", .linear = Quantization::UdQ2KXl, .source = kUnsloth},
    {.suffix = "-q4_k_xl", .linear = Quantization::UdQ4KXl, .source = kUnsloth},
    {.suffix = "-q5_k_xl", .linear = Quantization::UdQ5KXl, .source = kUnsloth},
    {.suffix = "-q6_k_xl", .linear = Quantization::UdQ6KXl, .source = kUnsloth},
    {.suffix = "-q8_k_xl", .linear = Quantization::UdQ8KXl, .source = kUnsloth},
    {.suffix = "-q3_k_xl",
     .organization = "unsloth",
     .linear = Quantization::UdQ3KXl,
     .source = kUnsloth},
    {.suffix = "-q4",
     .linear = Quantization::MixQ4KM,
     .source = "files of microsoft/Phi-3-mini-4k-instruct-gguf: q4 is Q4_K_M"},
    {.suffix = "-q4_k - medium", .linear = Quantization::MixQ4KM, .source = kGguf},
});

constexpr bool is_file_type(const NameRow<Quantization>& row) {
  return domain::scheme(row.value).is_interleaved;
}

/// Words without a digit may be part of a model's own name ("half", "inc", "marlin"), but for those
/// that are nothing else.
bool is_telling(std::string_view word) {
  constexpr std::array<std::string_view, 3> kNothingElse = {"hqq", "eetq", "bnb"};
  return word.find_first_of("0123456789") != std::string_view::npos ||
         std::ranges::find(kNothingElse, word) != kNothingElse.end();
}

std::string_view without_mark(std::string_view suffix) {
  return suffix.substr(suffix.starts_with('-') ? 1 : 0);
}

bool is_mark(char letter) { return std::string_view("-_ .").contains(letter); }
bool same_letter(char a, char b) { return a == b || (is_mark(a) && is_mark(b)); }

/// The recipes of publishers, the rows above, one for every type and mix of GGUF files, and one for
/// every word of --quant that none has.
std::vector<RepositorySuffix> all_suffixes() {
  std::vector<RepositorySuffix> all(mixture_recipes().begin(), mixture_recipes().end());
  all.insert(all.end(), publisher_recipes().begin(), publisher_recipes().end());
  all.insert(all.end(), publisher_groups().begin(), publisher_groups().end());
  all.insert(all.end(), kSuffixes.begin(), kSuffixes.end());
  all.insert(all.end(), tail_suffixes().begin(), tail_suffixes().end());
  const auto add = [&](const RepositorySuffix& row) {
    const bool is_there = std::ranges::any_of(all, [&](const RepositorySuffix& other) {
      return other.organization.empty() && other.base.empty() &&
             std::ranges::equal(without_mark(other.suffix), row.suffix, same_letter);
    });
    if (!is_there) all.push_back(row);
  };
  for (const auto& row : kNames<Quantization>)
    add({.suffix = row.name,
         .linear = row.value,
         .source = is_file_type(row) ? kGguf : kWordOfFlag});
  for (const QuantizationSpelling& row : quantization_spellings()) {
    if (is_telling(row.spelling))
      add({.suffix = row.spelling, .linear = row.value, .source = kWordOfFlag});
  }
  return all;
}

}  // namespace

std::span<const RepositorySuffix> repository_suffixes() {
  static const std::vector<RepositorySuffix> kAllSuffixes = all_suffixes();
  return kAllSuffixes;
}

}  // namespace gpushape::catalog
