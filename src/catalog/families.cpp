#include "catalog/families.hpp"

#include <array>

namespace gpushape::catalog {
namespace {

constexpr auto kLlama = std::to_array<Architecture>({
    {"LlamaForCausalLM"},
    {"LLaMAForCausalLM"},  // the spelling of the first conversions
    {"LlamaModel", false},
});
constexpr auto kMistral = std::to_array<Architecture>({
    {"MistralForCausalLM"},
    {"MistralModel", false},
});
constexpr auto kQwen2 = std::to_array<Architecture>({
    {"Qwen2ForCausalLM"},
    {"Qwen2Model", false},
});
constexpr auto kQwen3 = std::to_array<Architecture>({
    {"Qwen3ForCausalLM"},
    {"Qwen3Model", false},
});

constexpr auto kFamilies = std::to_array<Family>({
    {.model_type = "llama",
     .architectures = kLlama,
     .reads_attention_bias = true,
     .reads_mlp_bias = true,
     .source = "default of the llama family in transformers (LlamaConfig)"},
    {.model_type = "mistral",
     .architectures = kMistral,
     .sliding = SlidingRule::Always,
     .sliding_window = 4096,
     .source = "default of the mistral family in transformers (MistralConfig)"},
    {.model_type = "qwen2",
     .architectures = kQwen2,
     .qkv_bias = true,
     .sliding = SlidingRule::OnSwitch,
     .source = "default of the qwen2 family in transformers (Qwen2Config)"},
    {.model_type = "qwen3",
     .architectures = kQwen3,
     .reads_attention_bias = true,
     .query_key_norm = true,
     .head_dim = 128,
     .sliding = SlidingRule::OnSwitch,
     .source = "default of the qwen3 family in transformers (Qwen3Config)"},
});

}  // namespace

std::span<const Family> families() { return kFamilies; }

}  // namespace gpushape::catalog
