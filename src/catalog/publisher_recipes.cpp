// How publishers of quantized repositories quantize, where their config files are public or
// somebody has listed what the tensors of a repository hold.
#include <array>
#include <span>

#include "catalog/publisher_rows.hpp"

namespace gpushape::catalog {
namespace {

using domain::KvCacheType;
using domain::Quantization;

// In https://github.com/sinkarusa/jevemu docs/research: what each build quantizes, from the headers
// of its files, and what vLLM 0.30.0 loads.
constexpr std::string_view kHeadersRead =
    "headers of the repository's files, as https://github.com/sinkarusa/jevemu docs/research lists "
    "them";
constexpr std::string_view kCyankiwi =
    "cyankiwi's repositories: groups of 32, in those of dense models with zero points "
    "(https://github.com/sinkarusa/jevemu docs/research: Qwen3.8-27B 18.37 GiB, Qwen3.6-27B 18.32; "
    "https://github.com/vllm-project/vllm/pull/54965: gemma-4-31B-it)";
constexpr std::string_view kCyankiwiMixed =
    "cyankiwi's repositories of Qwen3.5: linear attention in 16 bits in those that say BF16 "
    "(https://huggingface.co/cyankiwi/Qwen3.5-27B-AWQ-4bit discussion 2)";
constexpr std::string_view kSizesOfMixtures =
    "https://github.com/sinkarusa/jevemu docs/research: decoders of 21.4 GiB (Qwen3.5-35B-A3B) and "
    "21.9 (Qwen3.6-35B-A3B, with zero points), as experts in groups of 32 and attention in 16 bits "
    "come to; the former loads 22.05 with its tower";
constexpr std::string_view kQwenConfig =
    "config.json of Qwen/Qwen3.5-27B-GPTQ-Int4 and -35B-A3B-GPTQ-Int4: attention of both kinds and "
    "shared experts are left out";
constexpr std::string_view kGoogleQat =
    "config.json of google/gemma-4-12B-it-qat-w4a16-ct and its likes: pack-quantized, 4 bits, "
    "groups of 32, towers and lm_head in 16 bits";
constexpr std::string_view kGoogleQatE2B =
    "header of google/gemma-4-E2B-it-qat-w4a16-ct as https://github.com/xbill9/sagemaker-gemma "
    "docs/articles lists it: two tables of 0.805 GB; vLLM 0.30.0 on L4 and 0.29.0 on T4 load 8.01 "
    "and 8.02 GiB, both, where one makes 7.25";
constexpr std::string_view kLlmCompressor =
    "https://github.com/vllm-project/llm-compressor, the example that the model card of the "
    "repository names";

constexpr std::string_view kGemmaQat =
    "https://github.com/gau-nernst/gemma3-int4: Gemma 3's QAT checkpoints, groups of 32; "
    "gemma-3-27b-it-int4-awq loads 17.61 GiB by vLLM 0.8.3 "
    "(https://github.com/vllm-project/vllm/issues/16199)";
constexpr std::string_view kLlmCompressorMixture =
    "https://docs.vllm.ai/projects/llm-compressor, Qwen3.6 NVFP4 MoE example: linear attention and "
    "lm_head in 16 bits; vLLM 0.20.0 loads 21.86 GiB on an RTX 5090, 23.43 on GB10 with the layer "
    "that drafts (https://github.com/99sono/DockerBuildFiles)";

// Recipes that several names share.
constexpr RepositorySuffix kMixtureBesideDense{.linear = Quantization::Int4,
                                               .group = kSmall,
                                               .kept = {"re:.*\\.mlp\\.(gate|up|down)_proj$"},
                                               .is_whole = true};
constexpr RepositorySuffix kAsymmetric{.linear = Quantization::Int4,
                                       .group = kSmall,
                                       .kept = {kSmallProjections},
                                       .zero_points = true};
constexpr RepositorySuffix kSymmetric{
    .linear = Quantization::Int4, .group = kSmall, .kept = {kSmallProjections}};
constexpr RepositorySuffix kExpertsAlone{.linear = Quantization::GptqInt4,
                                         .group = kUsual,
                                         .keeps_attention = true,
                                         .keeps_linear_attention = true,
                                         .kept = {"shared_expert"},
                                         .is_whole = true};
constexpr RepositorySuffix kExpertsBehindFirst{.linear = Quantization::Awq,
                                               .group = kUsual,
                                               .keeps_attention = true,
                                               .keeps_linear_attention = true,
                                               .kept = {"layers.0", "shared_expert"},
                                               .is_whole = true};
constexpr RepositorySuffix kSmallAwq{.linear = Quantization::Awq, .group = kSmall};
constexpr RepositorySuffix kGoogle{.linear = Quantization::Int4, .group = kSmall, .is_whole = true};
constexpr RepositorySuffix kGoogleTwoTables{
    .linear = Quantization::Int4, .group = kSmall, .has_two_tables = true, .is_whole = true};
constexpr RepositorySuffix kHeadInFourBits{.linear = Quantization::Nvfp4,
                                           .static_activation_scales = true,
                                           .kv_cache = KvCacheType::Fp8,
                                           .mixers = Quantization::Fp8,
                                           .modules = {{{"lm_head", Quantization::Nvfp4}}},
                                           .is_whole = true};

/// Others than 4 and 8 bits, of which repositories have names of their own.
constexpr RepositorySuffix mlx(std::string_view suffix, Quantization precision) {
  return {.suffix = suffix,
          .organization = "mlx-community",
          .linear = precision,
          .head_quantized = true,
          .source =
              "naming of mlx-community repositories: groups of 64 with a 16-bit scale and "
              "bias, head included"};
}

constexpr RepositorySuffix gptq(Quantization precision, int group) {
  return {.linear = precision, .group = group, .kept = {kSmallProjections}};
}

constexpr auto kRecipes = std::to_array<RepositorySuffix>({
    by("cyankiwi", "gemma-4-26b", "-awq-int4", kMixtureBesideDense, kHeadersRead),
    by("cyankiwi", "gemma-4-26b", "-awq-4bit", kMixtureBesideDense, kHeadersRead),
    {.suffix = "-awq-4bit",
     .organization = "cyankiwi",
     .base = "qwen3.5-9b",
     .linear = Quantization::Int4,
     .group = kSmall,
     .kept = {kSmallProjections},
     .is_whole = true,
     .source = kHeadersRead},
    {.suffix = "-awq-4bit",
     .organization = "cyankiwi",
     .base = "qwen3.5-35b",
     .linear = Quantization::Int4,
     .group = kSmall,
     .keeps_attention = true,
     .keeps_linear_attention = true,
     .source = kSizesOfMixtures},
    {.suffix = "-awq-4bit",
     .organization = "cyankiwi",
     .base = "qwen3.6-35b",
     .linear = Quantization::Int4,
     .group = kSmall,
     .keeps_attention = true,
     .keeps_linear_attention = true,
     .kept = {"shared_expert"},
     .zero_points = true,
     .is_whole = true,
     .source = kSizesOfMixtures},
    {.suffix = "-awq-bf16-int4",
     .organization = "cyankiwi",
     .linear = Quantization::Int4,
     .group = kSmall,
     .keeps_linear_attention = true,
     .zero_points = true,
     .is_whole = true,
     .source = kCyankiwiMixed},
    {.suffix = "-awq-bf16-int8",
     .organization = "cyankiwi",
     .linear = Quantization::Int8Weight,
     .group = kSmall,
     .keeps_linear_attention = true,
     .is_whole = true,
     .source = kHeadersRead},
    by("cyankiwi", "qwen3.8-27b", "-awq-int4", closed(kAsymmetric), kCyankiwi),
    by("cyankiwi", "qwen3.6-27b", "-awq-int4", closed(kAsymmetric), kCyankiwi),
    by("cyankiwi", "qwen3.6-27b", "-awq-4bit", closed(kAsymmetric), kCyankiwi),
    by("cyankiwi", "omnicoder-9b", "-awq-4bit", closed(kSymmetric), kHeadersRead),
    by("cyankiwi", "minimax-m2.5", "-awq-4bit", closed(kSymmetric),
       "model card of cyankiwi/MiniMax-M2.5-AWQ-4bit: all but routers and lm_head"),
    by("cyankiwi", kAnyBase, "-awq-int4", kAsymmetric, kCyankiwi),
    by("cyankiwi", kAnyBase, "-awq-4bit", kAsymmetric, kCyankiwi),
    {.suffix = "-awq-8bit",
     .organization = "cyankiwi",
     .linear = Quantization::Int8Weight,
     .group = kSmall,
     .kept = {kSmallProjections},
     .source = kCyankiwi},
    {.suffix = "-awq",
     .organization = "quanttrio",
     .base = "qwen3.5-9b",
     .linear = Quantization::Awq,
     .group = kUsual,
     .keeps_attention = true,
     .keeps_linear_attention = true,
     .kept = {"layers.0"},
     .is_whole = true,
     .source = kHeadersRead},
    {.suffix = "-awq",
     .organization = "quanttrio",
     .base = "qwen3.6-27b",
     .linear = Quantization::Awq,
     .group = kUsual,
     .kept = {"layers.0", "re:.*self_attn\\.[qkv]_proj$", "re:.*linear_attn\\.in_proj_[ab]$"},
     .is_whole = true,
     .source = kHeadersRead},
    by("quanttrio", "qwen3.6-35b", "-awq", kExpertsBehindFirst, kHeadersRead),
    by("quanttrio", "qwen3.5-35b", "-awq", kExpertsBehindFirst, kHeadersRead),
    by("qwen", "qwen3.5-", "-gptq-int4", kExpertsAlone, kQwenConfig),
    by("palmfuture", "qwen3.6-35b", "-gptq-int4", kExpertsAlone, kHeadersRead),
    by("palmfuture", kAnyBase, "-gptq-int4", gptq(Quantization::GptqInt4, kSmall), kHeadersRead),
    by("btbtyler09", kAnyBase, "-gptq-4bit", gptq(Quantization::GptqInt4, kSmall), kHeadersRead),
    by("btbtyler09", kAnyBase, "-gptq-8bit", gptq(Quantization::GptqInt8, kSmall), kHeadersRead),
    by("groxaxo", kAnyBase, "-gptq-pro-4bit", gptq(Quantization::GptqInt4, kUsual), kHeadersRead),
    by("groxaxo", kAnyBase, "-gptq-pro-4bit-g64-calib128", gptq(Quantization::GptqInt4, kHalf),
       kHeadersRead),
    {.suffix = "-int4",
     .organization = "redhatai",
     .base = "qwen3.8-27b",
     .linear = Quantization::Int4,
     .group = kUsual,
     .kept = {kSmallProjections},
     .is_whole = true,
     .source = kHeadersRead},
    {.suffix = "-nvfp4",
     .organization = "redhatai",
     .base = "qwen3.6-35b",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .is_whole = true,
     .source = kLlmCompressorMixture},
    by("gaunernst", kAnyBase, "-int4-awq", kSmallAwq, kGemmaQat),
    by("gaunernst", kAnyBase, "-qat-autoawq", kSmallAwq, kGemmaQat),
    by("gaunernst", kAnyBase, "-qat-compressed-tensors",
       {.linear = Quantization::Int4, .group = kSmall}, kGemmaQat),
    {.suffix = "-fp8-int4-awq",
     .linear = Quantization::Int4,
     .group = kSmall,
     .modules = {{{"re:.*self_attn.*", Quantization::Fp8Block}}},
     .source =
         "mratsim/MiniMax-M2.5-FP8-INT4-AWQ: experts by AWQ in groups of 32 (15.57 GiB on each of "
         "eight GPUs), attention in the model's own FP8 blocks"},
    {.suffix = "-nvfp4-fp8",
     .organization = "redhatai",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .modules = {{{"re:.*self_attn.*", Quantization::Fp8Block}}},
     .source = kLlmCompressor},
    {.suffix = "-fp8-dynamic",
     .organization = "unsloth",
     .linear = Quantization::Fp8Channel,
     .richer = 0.08,
     .keeps_linear_attention = true,
     .source = "unsloth's dynamic formats leave layers in 16 bits that are chosen model by model "
               "(https://unsloth.ai/blog/dynamic-4bit): GLM-4.7-Flash by vLLM 0.30 on GB10 loads "
               "30.8 GiB, 29.0 with all in 8 bits"},
    by("google", "gemma-4-e2b", "-qat-w4a16-ct", kGoogleTwoTables, kGoogleQatE2B),
    by("google", kAnyBase, "-w4a16-ct", kGoogle, kGoogleQat),
    by("google", kAnyBase, "-qat-w4a16-ct", kGoogle, kGoogleQat),
    mlx("-3bit", Quantization::MlxInt3),
    mlx("-5bit", Quantization::MlxInt5),
    mlx("-6bit", Quantization::MlxInt6),
    {.suffix = "-nvfp4",
     .organization = "inferact",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kept = {"re:.*linear_attn\\.in_proj.*"},
     .source = "quantization_config of Inferact/Qwen3.8-27B-NVFP4: full attention and dense "
               "networks, and of linear attention what comes out of it"},
    by("nvidia", "qwen3.8-27b", "-nvfp4", kHeadInFourBits,
       "hf_quant_config.json of nvidia/Qwen3.8-27B-NVFP4 "
       "(https://github.com/noonghunna/club-3090/issues/1261)"),
    {.suffix = "-nvfp4",
     .organization = "nvidia",
     .base = "diffusiongemma",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .keeps_attention = true,
     .kept = {"re:.*\\.mlp\\.(gate|up|down)_proj$"},
     .source =
         "config.json of nvidia/Gemma-4-26B-A4B-NVFP4, whose decoder it shares: experts alone"},
    by("radixark", "qwen3.8-27b", "-nvfp4", kHeadInFourBits,
       "hf_quant_config.json of RadixArk/Qwen3.8-27B-NVFP4 "
       "(https://github.com/noonghunna/club-3090/issues/1261)"),
    {.suffix = "-nvfp4",
     .organization = "redhatai",
     .base = "qwen3.8-27b",
     .linear = Quantization::Nvfp4,
     .keeps_linear_attention = true,
     .source = kLlmCompressorMixture},
    {.suffix = "-nvfp4",
     .organization = "unsloth",
     .base = "qwen3.8-27b",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .mixers = Quantization::Fp8Channel,
     .modules = {{{"lm_head", Quantization::Fp8Channel},
                  {"re:.*layers\\.(5[6-9]|6[0-3])\\.mlp.*", Quantization::Fp8Channel}}},
     .is_whole = true,
     .source = "what the tensors of unsloth/Qwen3.8-27B-NVFP4 hold "
               "(https://github.com/Neroued/ninfer/issues/70)"},
    {.suffix = "-nvfp4",
     .organization = "unsloth",
     .base = "qwen3.6-27b",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .mixers = Quantization::Fp8Channel,
     .source = "unsloth/Qwen3.6-27B-NVFP4 by 0.21 on GB10: 689,298 tokens in 56.38 GiB, a cache in "
               "16 bits (https://github.com/spped2000/thaillm-nvfp4-dgx-spark)"},
    {.suffix = "-nvfp4",
     .organization = "unsloth",
     .base = "gemma-4-e",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .richer = 0.12,
     .modules = {{{"re:.*self_attn.*", Quantization::Fp8Channel},
                  {"re:.*embed_tokens_per_layer", Quantization::Fp8Channel}}},
     .source = "files of unsloth/gemma-4-E4B-it-NVFP4 take 7.55 GiB, 7.25 with attention and the "
               "table of every layer in 8 bits and 9.9 with that in 16 "
               "(https://github.com/justinwkUKM/Gemma4UnslothDynamicNVFP4)"},
    {.suffix = "-nvfp4",
     .organization = "unsloth",
     .base = "gemma-4-",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .richer = 0.08,
     .modules = {{{"re:.*self_attn.*", Quantization::Fp8Channel}}},
     .source = "files of unsloth/gemma-4-12b-it-NVFP4 take 8.67 GiB: networks in NVFP4, attention "
               "in FP8 (https://github.com/justinwkUKM/Gemma4UnslothDynamicNVFP4)"},
    {.suffix = "-mtp-nvfp4",
     .organization = "sakamakismile",
     .base = "qwen3.8-27b",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .is_whole = true,
     .source = "model card of sakamakismile/Qwen3.8-27B-MTP-NVFP4: everything but the tower, "
               "lm_head, convolutions and the layer that predicts; 0.28.0 loads 18.48 GiB"},
    {.suffix = "-text-nvfp4-mtp",
     .organization = "sakamakismile",
     .base = "qwen3.6-27b",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .is_text_alone = true,
     .is_whole = true,
     .source = "as sakamakismile/Qwen3.8-27B-MTP-NVFP4, without the tower: 0.20.0 loads 17.62 GiB, "
               "and 18.41 where the layer that predicts drafts"},
    {.suffix = "-nvfp4-fast",
     .organization = "unsloth",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .kv_cache = KvCacheType::Fp8,
     .mixers = Quantization::Fp8Channel,
     .modules = {{{"lm_head", Quantization::Fp8Channel}}},
     .source = "unsloth/Qwen3.6-35B-A3B-NVFP4-Fast: experts in NVFP4, attention of both kinds and "
               "lm_head in FP8 (https://github.com/noonghunna/club-3090 scripts/lib/profiles)"},
    {.suffix = "-nvfp4",
     .organization = "gadflyii",
     .base = "glm-4.7-flash",
     .linear = Quantization::Nvfp4,
     .static_activation_scales = true,
     .keeps_attention = true,
     .source =
         "what the tensors of GadflyII/GLM-4.7-Flash-NVFP4 hold: latent attention in 16 bits"},
    by(kAnyOrganization, "qwen3.8-27b", "-nvfp4", opened(kHeadInFourBits),
       "hf_quant_config.json of nvidia/Qwen3.8-27B-NVFP4: copies of this name without a publisher "
       "load as it does (19.90 GiB with its tower), 19.75 GiB on an A6000 "
       "(https://github.com/noonghunna/club-3090/issues/1047), 19.78 and 19.84 on RTX 5090"),
});

}  // namespace

std::span<const RepositorySuffix> publisher_recipes() { return kRecipes; }

}  // namespace gpushape::catalog
