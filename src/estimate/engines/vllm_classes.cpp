#include "estimate/engines/vllm_classes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gpushape::estimate::engines {
namespace {

/// Whose class holds an embedding beside that of its decoder, which does the work.
constexpr std::string_view kFamilyWithSecondTable = "phi3_v";
/// Whose class made a rotary embedding of its own in each layer (0.5.1 to 0.5.4).
constexpr std::string_view kFamilyWithOwnRotary = "gemma2";
/// Whose class holds its routers in 32 bits, whatever the checkpoint does.
constexpr auto kFamiliesWithWideRouters =
    std::to_array<std::string_view>({"minimax_m2", "nemotron_h"});

// Classes that ask for no place in the pipeline when they make VocabParallelEmbedding and
// ParallelLMHead. Qwen3-30B-A3B on two stages of four GH200 prints 7.3272 GiB: embedding and head
// are 0.145 each, and 7.182 the rest with one of them. Those not listed ask
// (get_pp_group().is_first_rank, is_last_rank), as llama.py and deepseek_v2.py do. Source: vLLM
// model_executor/models, the file of each family.
constexpr auto kEmbeddingOnEveryStage = std::to_array<std::string_view>(
    {"arctic",     "baichuan",    "bamba",    "bloom",        "chatglm",
     "cohere",     "cohere2",     "dbrx",     "falcon",       "flex_olmo",
     "gemma",      "gemma2",      "gemma3",   "gemma3_text",  "gemma4",
     "gpt2",       "gpt_bigcode", "gpt_neox", "gpt_oss",      "gptj",
     "granitemoe", "internlm2",   "jamba",    "lfm2",         "granitemoehybrid",
     "mamba",      "minicpm",     "minicpm3", "mixtral",      "mpt",
     "nemotron_h", "olmo",        "olmo2",    "olmo3",        "olmoe",
     "opt",        "orion",       "phi-msft", "phimoe",       "qwen",
     "qwen2_moe",  "qwen3_5",     "phi",      "qwen3_5_moe",  "qwen3_5_moe_text",
     "qwen3_moe",  "qwen3_next",  "stablelm", "qwen3_vl_moe", "qwen3_omni_moe",
     "starcoder2"});
/// Of these, those that ask where the head is concerned.
constexpr auto kHeadOnLastStage =
    std::to_array<std::string_view>({"lfm2", "qwen3_5", "qwen3_5_moe", "qwen3_5_moe_text"});
/// Those that asked for the embedding's place alone, to 0.7.3 (pull request 13833).
constexpr auto kHeadOnEveryStageAtFirst =
    std::to_array<std::string_view>({"deepseek", "deepseek_v2", "deepseek_v3"});

/// Whose classes hand the quantization to the linear layers of their encoders of images, so that
/// `--quantization fp8` takes those, too: Qwen2.5-VL-7B prints 8.9031 GiB by 0.8.1
/// (https://github.com/vllm-project/vllm/issues/15264), 9.5 with its encoder in 16 bits. Source:
/// vLLM model_executor/models, the file of each family; gemma4_mm.py and mllama4.py do not.
constexpr auto kConvertedTowers = std::to_array<std::string_view>(
    {"gemma3",        "glm4v",        "glm4v_moe", "glm_ocr",     "idefics3",
     "internvl_chat", "kimi_k25",     "llava",     "llava_next",  "llava_onevision",
     "minicpmv",      "mistral3",     "ovis2_5",   "paligemma",   "qwen2_5_omni",
     "qwen2_5_vl",    "qwen2_vl",     "qwen3_5",   "qwen3_5_moe", "qwen3_omni_moe",
     "qwen3_vl",      "qwen3_vl_moe", "smolvlm",   "step3_vl"});

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& families, std::string_view family) {
  return std::ranges::find(families, family) != families.end();
}

}  // namespace

void take_class(const domain::Model& model, const Facts& facts, WeightsLayout& layout) {
  const std::string_view family = model.family;
  layout.has_second_table = family == kFamilyWithSecondTable && layout.loads_towers &&
                            facts.expected("tableBesideDecoder") != 0;
  layout.has_float32_routers =
      facts.expected("float32Routers") != 0 && is_among(kFamiliesWithWideRouters, family);
  layout.converts_towers = layout.is_converted &&
                           layout.scheme.quantization == domain::Quantization::Fp8 &&
                           is_among(kConvertedTowers, family);
  layout.has_rotary_of_each_layer =
      facts.expected("rotaryOfEachLayer") != 0 && family == kFamilyWithOwnRotary;
  layout.has_embedding_on_every_stage = is_among(kEmbeddingOnEveryStage, family);
  layout.has_head_on_every_stage =
      (layout.has_embedding_on_every_stage && !is_among(kHeadOnLastStage, family)) ||
      (facts.expected("headOnEveryStage") != 0 && is_among(kHeadOnEveryStageAtFirst, family));
}

}  // namespace gpushape::estimate::engines
