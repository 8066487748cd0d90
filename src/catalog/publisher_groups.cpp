// Publishers whose repositories of dense models leave nothing open: they keep to one size of
// groups, or the layers that they leave in 16 bits are public.
#include <array>
#include <span>

#include "catalog/publisher_rows.hpp"

namespace gpushape::catalog {
namespace {

using domain::Quantization;

constexpr std::string_view kGroupsOfBloke =
    "quantize_config.json and model cards of TheBloke's GPTQ repositories, main branches: "
    "group_size -1 from 30B on, and of Mixtral, 128 below";
constexpr std::string_view kGroupsOfRedHat =
    "naming of RedHatAI and neuralmagic repositories: llm-compressor, groups of 128, lm_head kept "
    "in 16 bits";
constexpr std::string_view kTrainedForBlocks =
    "https://github.com/gau-nernst/gemma3-int4: Gemma's QAT checkpoints, of which some copies have "
    "groups of 32";
constexpr std::string_view kSkippedModules =
    "llm_int8_skip_modules of the repository's config.json, as it or copies of it show it; the "
    "rest in bitsandbytes nf4, double quantized";

constexpr std::string_view kSizesShown =
    "what the files of the repository take on the Hub, in which some layers are in 16 bits and the "
    "rest in bitsandbytes nf4, double quantized; Mistral-Small-24B-Instruct-2501 loads 13.92 GiB "
    "by "
    "vLLM 0.7.3 (https://github.com/vllm-project/vllm/issues/13765)";

constexpr RepositorySuffix kUsualAwq{.linear = Quantization::Awq, .group = kUsual};
constexpr RepositorySuffix kUsualGptq{.linear = Quantization::GptqInt4, .group = kUsual};
constexpr RepositorySuffix kWholeRowsGptq{.linear = Quantization::GptqInt4,
                                          .group = domain::kWholeRow};
constexpr RepositorySuffix kUsualInt4{.linear = Quantization::Int4, .group = kUsual};

/// Unsloth's choice of layers for a model.
constexpr RepositorySuffix skipping(std::string_view base, std::array<std::string_view, 3> kept) {
  return {.suffix = "-unsloth-bnb-4bit",
          .base = base,
          .linear = Quantization::BnbNf4Double,
          .kept = kept,
          .is_whole = true,
          .source = kSkippedModules};
}

/// Layers that are not public, of a model whose files are.
constexpr RepositorySuffix as_large(std::string_view base, double gb) {
  return {.suffix = "-unsloth-bnb-4bit",
          .base = base,
          .linear = Quantization::BnbNf4Double,
          .files_gb = gb,
          .is_whole = true,
          .source = kSizesShown};
}

constexpr auto kGroups = std::to_array<RepositorySuffix>({
    by("qwen", kAnyBase, "-awq", kUsualAwq,
       "config.json of Qwen/Qwen2-VL-2B-Instruct-AWQ: group_size 128; Qwen2.5-7B loads 5.29 GiB "
       "(vLLM 0.26.0), 14B 9.3795 (0.13.0)"),
    by("qwen", kAnyBase, "-gptq-int4", kUsualGptq,
       "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4 loads 5.27 GiB (vLLM 0.27.1), as groups of 128"),
    by("hugging-quants", kAnyBase, "-awq-int4", kUsualAwq,
       "model card of hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4: AutoAWQ, q_group_size "
       "128"),
    by("hugging-quants", kAnyBase, "-gptq-int4", kUsualGptq,
       "model card of hugging-quants/Meta-Llama-3.1-8B-Instruct-GPTQ-INT4: group_size 128"),
    by("casperhansen", kAnyBase, "-awq", kUsualAwq,
       "the defaults of AutoAWQ, whose author publishes these: q_group_size 128; "
       "llama-3-70b-instruct-awq loads 18.55 GiB on each of two L40S (vLLM 0.16.0)"),
    by("thebloke", kAnyBase, "-awq", kUsualAwq,
       "model cards of TheBloke's AWQ repositories: GS 128"),
    by("thebloke", "llama-2-70b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", "codellama-34b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", "yi-34b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", "deepseek-coder-33b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", "deepseek-llm-67b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", "mixtral-8x7b", "-gptq", kWholeRowsGptq, kGroupsOfBloke),
    by("thebloke", kAnyBase, "-gptq", kUsualGptq, kGroupsOfBloke),
    by("redhatai", kAnyBase, "-w4a16", kUsualInt4, kGroupsOfRedHat),
    by("neuralmagic", kAnyBase, "-w4a16", kUsualInt4, kGroupsOfRedHat),
    // Google trains these for llama.cpp's blocks of 32, and copies may keep to them.
    by(kAnyOrganization, kAnyBase, "-qat-autoawq", {.linear = Quantization::Awq},
       kTrainedForBlocks),
    by(kAnyOrganization, kAnyBase, "-qat-awq", {.linear = Quantization::Awq}, kTrainedForBlocks),
    by(kAnyOrganization, kAnyBase, "-qat-int4-awq", {.linear = Quantization::Awq},
       kTrainedForBlocks),
    skipping("phi-4-mini", {R"(re:.*layers\.(1|3|30)\.mlp.*)"}),
    skipping("phi-4",
             {R"(re:.*layers\.[123]\.mlp.*)", R"(re:.*layers\.(37|39)\.self_attn\.o_proj)"}),
    skipping("deepseek-r1-distill-llama-8b", {R"(re:.*layers\.1\.mlp.*)"}),
    skipping("deepseek-r1-distill-qwen-7b",
             {R"(re:.*layers\.[0-3]\.(self_attn|mlp).*)", R"(re:.*layers\.(4|11|24|25|26)\.mlp.*)",
              R"(re:.*layers\.27\.self_attn.*)"}),
    skipping("deepseek-r1-distill-llama-70b",
             {R"(re:.*layers\.0\.(self_attn|mlp\.(gate|up)_proj).*)",
              R"(re:.*layers\.3\.mlp\.gate_proj)", R"(re:.*layers\.55\.self_attn\.o_proj)"}),
    as_large("mistral-small-24b-instruct-2501", 14.9),
    as_large("gemma-3-27b", 18.11),
    as_large("deepseek-r1-distill-qwen-1.5b", 1.81),
    as_large("qwen2.5-7b-unsloth", 7.54),
    as_large("qwen2.5-14b-instruct-1m", 14.25),
    as_large("llama-3.2-1b-unsloth", 1.1),
    as_large("llama-3.2-11b-vision", 7.67),
    as_large("qwen2-vl-2b-instruct", 1.81),
    as_large("qwen2-vl-7b-instruct", 6.57),
    skipping("qwen3-4b", {R"(re:.*layers\.(0|1|4|6|34)\.(self_attn|mlp).*)",
                          R"(re:.*layers\.3\.mlp.*)", R"(re:.*layers\.33\.self_attn.*)"}),
});

}  // namespace

std::span<const RepositorySuffix> publisher_groups() { return kGroups; }

}  // namespace gpushape::catalog
