// How publishers quantize models with experts or linear attention: which experts, which attention,
// in groups of what size. From model cards and config files of the repositories, 2024 to 2026.
#include <array>
#include <span>

#include "catalog/publisher_rows.hpp"

namespace gpushape::catalog {
namespace {

using domain::KvCacheType;
using domain::Quantization;

constexpr std::string_view kModelCard = "model card of the repository";
constexpr std::string_view kConfigFile = "quantization_config of the repository";
constexpr std::string_view kEveryCommunityCopy =
    "https://github.com/vllm-project/vllm/issues/40252: community copies in NVFP4 leave linear "
    "attention out, and that alone; RedHatAI/gemma-4-26B-A4B-it-NVFP4 loads 15.88 GiB by 0.25.1, "
    "15.85 with all but routers";
constexpr std::string_view kFlashOfGlm =
    "model cards of mbehr90, LibertAIDAI, tattrongvu and dabsLabs: routed experts alone";
constexpr std::string_view kFlashOfQwen =
    "model cards of mbehr90, MESHIVEAI, RadixArk and nvidia: routed experts alone";
constexpr std::string_view kAutoRoundOfHybrids =
    "model cards of Lorbus, webhie, coder3101, j3st3r666, Avuja and Frozenlock: groups of 128, "
    "small projections of linear attention and layers that predict in 16 bits; dbirks' loads 16.84 "
    "GiB by vLLM 0.28";
constexpr std::string_view kOlderCyankiwi =
    "cpatonn/Qwen3-30B-A3B-Thinking-2507-AWQ-4bit by 0.10.0 (https://github.com/ljg6861/anton_new) "
    "and Qwen3-Coder-30B-A3B-Instruct-GPTQ-4bit by 0.12.0 "
    "(https://github.com/kyuz0/amd-r9700-vllm-toolboxes) load 15.61 GiB, as all but routers and "
    "lm_head in symmetric groups of 128";
constexpr std::string_view kNextCyankiwi =
    "cpatonn/Qwen3-Next-80B-A3B-Instruct-AWQ-4bit by 0.11.2 and 0.13.0 on two Radeon AI PRO R9700 "
    "(https://github.com/kyuz0/amd-r9700-vllm-toolboxes) loads 23.50 GiB each, which leaves groups "
    "of 32 and 16 bits for what is no routed expert";
constexpr std::string_view kAllLinear =
    "model cards of AxionML's repositories: weights of linear layers; Qwen3.5-27B loads 18.48 GiB "
    "on GB10, as with linear attention in four bits "
    "(https://github.com/my-other-github-account/spark-bench-reproducers)";
constexpr std::string_view kAeon =
    "model cards of AEON-7: linear attention in 16 bits (26 GB without the tower), in those that "
    "say XS in NVFP4 but its convolution (20 GB)";

/// Routed experts alone.
constexpr RepositorySuffix experts_alone(Quantization linear, int group = 0) {
  return {.linear = linear,
          .group = group,
          .keeps_attention = true,
          .keeps_linear_attention = true,
          .kept = {kSharedExperts, kDenseNetworks},
          .is_whole = true};
}

/// All experts and networks, and no attention of either kind.
constexpr RepositorySuffix without_attention(Quantization linear, int group = 0) {
  return {.linear = linear,
          .group = group,
          .keeps_attention = true,
          .keeps_linear_attention = true,
          .is_whole = true};
}

/// All but linear attention.
constexpr RepositorySuffix without_linear_attention(Quantization linear, int group = 0) {
  return {.linear = linear, .group = group, .keeps_linear_attention = true, .is_whole = true};
}

/// All linear layers but routers, the small projections of linear attention and the head.
constexpr RepositorySuffix all_layers(Quantization linear, int group = 0) {
  return {.linear = linear, .group = group, .kept = {kSmallProjections}, .is_whole = true};
}

constexpr RepositorySuffix with_fp8_cache(RepositorySuffix recipe) {
  recipe.kv_cache = KvCacheType::Fp8;
  return recipe;
}

constexpr RepositorySuffix text_alone(RepositorySuffix recipe) {
  recipe.is_text_alone = true;
  return recipe;
}

constexpr RepositorySuffix with_drafts_in_nvfp4(RepositorySuffix recipe) {
  recipe.modules = {{{"mtp", Quantization::Nvfp4}}};
  return recipe;
}

constexpr auto kInNvfp4 = Quantization::Nvfp4;
constexpr auto kInMxfp4 = Quantization::Mxfp4;

/// The attention layers of Nemotron Nano, and the recurrent ones before each.
constexpr std::string_view kAroundAttention =
    "re:.*layers\\.(4|5|11|12|18|19|25|26|32|33|41|42)\\.mixer.*";
constexpr RepositorySuffix nano(Quantization linear) {
  return {.linear = linear,
          .static_activation_scales = true,
          .kv_cache = KvCacheType::Fp8,
          .kept = {kAroundAttention, "re:.*conv1d"},
          .is_whole = true};
}

/// AutoRound's of dense models with linear attention.
constexpr RepositorySuffix of_hybrid(std::string_view base, std::string_view suffix) {
  return by(kAnyOrganization, base, suffix, all_layers(Quantization::GptqInt4, kUsual),
            kAutoRoundOfHybrids);
}

constexpr RepositorySuffix kAutoRoundWithoutShared{.linear = Quantization::GptqInt4,
                                                   .group = kUsual,
                                                   .kept = {kSmallProjections, kSharedExperts},
                                                   .is_whole = true};
constexpr RepositorySuffix kAttentionAndSharedInFp8{
    .linear = kInNvfp4,
    .keeps_linear_attention = true,
    .modules = {{{kFullAttention, Quantization::Fp8Channel},
                 {kSharedExperts, Quantization::Fp8Channel}}},
    .is_whole = true};

constexpr auto kMixtures = std::to_array<RepositorySuffix>({
    // NVFP4 of models with linear attention.
    by("axionml", "qwen3.5-", "-nvfp4",
       closed({.linear = kInNvfp4, .static_activation_scales = true}), kAllLinear),
    by("aeon-7", "qwen3.6-27b-aeon-ultimate-uncensored-text", "-nvfp4-mtp-xs",
       text_alone(all_layers(kInNvfp4)), kAeon),
    by("aeon-7", "qwen3.6-27b-aeon-ultimate-uncensored-text", "-nvfp4-mtp",
       text_alone(without_linear_attention(kInNvfp4)), kAeon),
    by(kAnyOrganization, "qwen3.6-27b-aeon", "-nvfp4-mtp-xs", all_layers(kInNvfp4), kAeon),
    by(kAnyOrganization, "qwen3.6-27b-aeon", "-nvfp4-mtp", without_linear_attention(kInNvfp4),
       kAeon),
    by("aeon-7", "qwen3.6-27b-aeon", "-nvfp4", without_linear_attention(kInNvfp4), kAeon),
    by("aeon-7", "qwen3.6-35b", "-nvfp4", without_linear_attention(kInNvfp4),
       "https://stig.sh/AEON-7/Qwen3.6-NVFP4-DFlash docs/quantization.md"),
    by("berkerdooo", "qwen3.6-27b", "-nvfp4", with_fp8_cache(all_layers(kInNvfp4)), kModelCard),
    by("lokeshe09", "qwen3.8-27b", "-nvfp4", without_linear_attention(kInNvfp4), kModelCard),
    by("passingbypixels", "qwen3.8-27b", "-nvfp4", without_linear_attention(kInNvfp4), kModelCard),
    by("doth4580", "qwen3.5-27b", "-nvfp4-full", all_layers(kInNvfp4), kModelCard),
    by("doth4580", "qwen3.6-35b", "-nvfp4-full", all_layers(kInNvfp4), kModelCard),
    by("davidyu-nv", "qwen3.5-9b", "-nvfp4-mse", with_fp8_cache(without_attention(kInNvfp4)),
       kModelCard),
    by("lukealonso", "qwen3.5-397b", "-nvfp4", experts_alone(kInNvfp4), kModelCard),
    by("redhatai", "qwen3.5-122b", "-nvfp4", without_linear_attention(kInNvfp4),
       kEveryCommunityCopy),
    by("redhatai", "qwen3.5-35b", "-nvfp4", without_linear_attention(kInNvfp4),
       kEveryCommunityCopy),
    by("redhatai", "qwen3-next", "-nvfp4", without_linear_attention(kInNvfp4), kEveryCommunityCopy),
    by("sehyo", "qwen3.5-", "-nvfp4", without_linear_attention(kInNvfp4), kEveryCommunityCopy),
    by("apolo13x", "qwen3.5-35b", "-nvfp4", without_linear_attention(kInNvfp4),
       kEveryCommunityCopy),
    by("mmangkad", "qwen3.6-35b", "-nvfp4", without_linear_attention(kInNvfp4),
       kEveryCommunityCopy),
    by("infatoshi", "qwen3.6-35b", "-nvfp4-fp8", kAttentionAndSharedInFp8, kModelCard),
    by(kAnyOrganization, "qwen3.8-flash-next", "-nvfp4", experts_alone(kInNvfp4), kFlashOfQwen),
    by("wtdcode", "qwen3.8-flash-next", "-awq-w4a16", experts_alone(Quantization::Int4, kUsual),
       kModelCard),
    by("chankhavu", "nemotron-cascade-2-30b", "-nvfp4", nano(kInNvfp4), kModelCard),
    by("chankhavu", "nemotron-cascade-2-30b", "-fp8", nano(Quantization::Fp8), kModelCard),
    // NVFP4 of other mixtures.
    by("redhatai", "gemma-4-26b", "-nvfp4", all_layers(kInNvfp4), kEveryCommunityCopy),
    by("bg-digitalservices", "gemma-4-26b", "-nvfp4", all_layers(kInNvfp4), kModelCard),
    by("cyberfitz", "gemma-4-26b", "-nvfp4", all_layers(kInNvfp4), kModelCard),
    by("kunhunjon", "gemma-4-26b", "-nvfp4-full", all_layers(kInNvfp4), kConfigFile),
    by("lukealonso", "glm-5.1", "-nvfp4-mtp", with_drafts_in_nvfp4(experts_alone(kInNvfp4)),
       "model card of the repository; 55.67 GiB on each of eight GPUs and 56.62 with what drafts "
       "(https://github.com/local-inference-lab/rtx6kpro)"),
    by("lukealonso", "glm-5.", "-nvfp4", experts_alone(kInNvfp4), kModelCard),
    by("lukealonso", "minimax-m2.5", "-nvfp4", without_attention(kInNvfp4),
       "hf_quant_config.json of lukealonso/MiniMax-M2.7-NVFP4: routers and attention left out"),
    by("lukealonso", "minimax-m2.7", "-nvfp4", without_attention(kInNvfp4),
       "hf_quant_config.json of the repository: routers and attention left out"),
    by("et0dev", "minimax-m2.7", "-nvfp4", with_fp8_cache(without_attention(kInNvfp4)), kModelCard),
    by("mconcat", "minimax-m2.5", "-nvfp4", without_attention(kInNvfp4), kConfigFile),
    by("ah22-neb", "glm-4.6", "-nvfp4", without_attention(kInNvfp4), kModelCard),
    by("modal-labs", "glm-5.2", "-nvfp4-experts-only", experts_alone(kInNvfp4), kModelCard),
    by("decart-ai", "kimi-k2.7", "-nvfp4", with_fp8_cache(experts_alone(kInNvfp4)), kModelCard),
    by("amd", "kimi-k2.", "-nvfp4",
       {.linear = kInNvfp4, .keeps_attention = true, .kept = {kDenseNetworks}, .is_whole = true},
       kConfigFile),
    by(kAnyOrganization, "glm-5.3-flash", "-nvfp4", experts_alone(kInNvfp4), kFlashOfGlm),
    by("wtdcode", "glm-5.3-flash", "-awq-w4a16", experts_alone(Quantization::Int4, kUsual),
       kModelCard),
    // MXFP4.
    by("amd", "kimi-k2.", "-mxfp4", experts_alone(kInMxfp4), kModelCard),
    by("wafer-ai", "kimi-k2.6", "-mxfp4", experts_alone(kInMxfp4), kModelCard),
    by("amd", "qwen3.5-397b", "-moe-mxfp4", without_attention(kInMxfp4), kConfigFile),
    by("olka-fi", "qwen3.5-122b", "-mxfp4", without_attention(kInMxfp4), kModelCard),
    by("olka-fi", "qwen3.5-35b", "-mxfp4", experts_alone(kInMxfp4), kConfigFile),
    by("olka-fi", "qwen3.5-9b", "-mxfp4", without_attention(kInMxfp4), kModelCard),
    // Integers.
    of_hybrid("qwen3.5-27b", "-int4-autoround"),
    of_hybrid("qwen3.6-27b", "-int4-autoround"),
    of_hybrid("qwen3.8-27b", "-int4-autoround"),
    of_hybrid("qwen3.5-27b", "-w4a16-autoround"),
    of_hybrid("qwen3.6-27b", "-w4a16-autoround"),
    of_hybrid("qwen3.8-27b", "-w4a16-autoround"),
    by("intel", "qwen3.5-122b", "-int4-autoround", kAutoRoundWithoutShared,
       "https://forums.developer.nvidia.com/t/"
       "qwen3-5-122b-a10b-nvfp4-quantized-for-dgx-spark-234gb-75gb-runs-on-128gb/361819: shared "
       "experts in 16 bits"),
    by("nchapman", "qwen3.6-35b", "-int4-autoround", kAutoRoundWithoutShared, kModelCard),
    by("cpatonn", "qwen3-30b", "-awq-4bit", all_layers(Quantization::Int4, kUsual), kOlderCyankiwi),
    by("cpatonn", "qwen3-coder-30b", "-awq-4bit", all_layers(Quantization::Int4, kUsual),
       kOlderCyankiwi),
    by("cpatonn", "qwen3-30b", "-gptq-4bit", all_layers(Quantization::Int4, kUsual),
       kOlderCyankiwi),
    by("cpatonn", "qwen3-coder-30b", "-gptq-4bit", all_layers(Quantization::Int4, kUsual),
       kOlderCyankiwi),
    by("cpatonn", "qwen3-next", "-awq-4bit", experts_alone(Quantization::Int4, kSmall),
       kNextCyankiwi),
    by("libertaidai", "qwen3.6-27b", "-w4a16-g128", all_layers(Quantization::GptqInt4, kUsual),
       kModelCard),
    by("btbtyler09", "qwen3.5-122b", "-gptq-4bit", experts_alone(Quantization::GptqInt4, kSmall),
       kModelCard),
    by("btbtyler09", "qwen3.5-35b", "-gptq-4bit", experts_alone(Quantization::GptqInt4, kSmall),
       kModelCard),
    by("btbtyler09", "qwen3.6-35b", "-gptq-4bit", experts_alone(Quantization::GptqInt4, kSmall),
       kModelCard),
    by("btbtyler09", "qwen3-coder-next", "-gptq-4bit",
       experts_alone(Quantization::GptqInt4, kSmall), kModelCard),
    by("btbtyler09", "qwen3.5-35b", "-gptq-8bit", experts_alone(Quantization::GptqInt8, kSmall),
       kModelCard),
    by("inference-optimization", "qwen3-coder-next", ".w4a16",
       without_linear_attention(Quantization::Int4, kUsual), kConfigFile),
    by("quanttrio", "glm-4.7-flash", "-awq", without_attention(Quantization::Awq, kUsual),
       "19 GB, shared experts quantized and attention in 16 bits, as its users list it; the "
       "publisher keeps to groups of 128"),
    by("quanttrio", "glm-4.7", "-awq",
       {.linear = Quantization::Awq,
        .group = kUsual,
        .kept = {kSharedExperts, "re:.*shared_head.*"},
        .is_whole = true},
       kConfigFile),
    by("et0dev", "minimax-m2.7", "-awq-4bit", all_layers(Quantization::Int4, kUsual), kModelCard),
    by(kAnyOrganization, "minimax-m2", "-bf16-int4-awq",
       without_attention(Quantization::Int4, kSmall),
       "model card of mratsim/MiniMax-M2.5-BF16-INT4-AWQ: experts in groups of 32"),
    by("casperhansen", "mixtral", "-awq", all_layers(Quantization::Awq, kUsual),
       "quant_config.json of the repository: routers alone left out"),
    by("thebloke", "mixtral", "-awq", all_layers(Quantization::Awq, kUsual),
       "quant_config.json of the repository: routers alone left out"),
    by("cognitivecomputations", "deepseek-", "-awq", all_layers(Quantization::Awq, kUsual),
       "DeepSeek-V3-0324-AWQ loads as groups of 128 in all layers but routers "
       "(https://github.com/vllm-project/vllm/pull/14447)"),
    // 8 bits.
    by("vrfai", "qwen3.6-27b", "-fp8", without_linear_attention(Quantization::Fp8Channel),
       "loads 33.66 GiB by vLLM 0.17.2 on B200, as with linear attention in 16 bits, which "
       "llm-compressor's example for Qwen3-Next leaves out "
       "(https://github.com/Tufalabs/duck-harness)"),
    by("lokeshe09", "qwen3.8-27b", "-int8", without_linear_attention(Quantization::Int8),
       kModelCard),
    by("88plug", "qwen3.6-27b", "-w8a16",
       without_linear_attention(Quantization::Int8Weight, kSmall), kModelCard),
    by("lovedheart", "qwen3.5-9b", "-fp8", closed({.linear = Quantization::Fp8}),
       "loads 10.40 GiB by vLLM 0.19.1 on H100, as with all linear layers in 8 bits "
       "(https://github.com/lawjarp-simplismart/autoresearch-inference-optimization)"),
    by("xega-ai", "qwen3.5-35b", "-fp8-dynamic", without_linear_attention(Quantization::Fp8Channel),
       kConfigFile),
});

}  // namespace

std::span<const RepositorySuffix> mixture_recipes() { return kMixtures; }

}  // namespace gpushape::catalog
