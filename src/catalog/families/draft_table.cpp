// Drafts, which propose tokens to a larger model. What a field means: families.hpp.
#include <array>

#include "catalog/families/composite.hpp"
#include "catalog/families/family_tables.hpp"

namespace gpushape::catalog {
namespace {

constexpr auto kDraftFamilies = std::to_array<Family>({
    {.model_types = "eagle",
     .stems = "LlamaForCausalLMEagle EagleLlama EagleLlamaForCausalLM",
     .decoder = "llama",
     .add_towers = add_eagle},
    {.model_types = "eagle3",
     .stems =
         "LlamaForCausalLMEagle3 Eagle3Llama Eagle3LlamaForCausalLM Eagle3Speculator Eagle3Draft",
     .decoder = "llama",
     .add_towers = add_eagle3},
    {.model_types = "dflash",
     .stems = "DFlashDraft DFlash DFlashQwen3 DFlash2Draft",
     .decoder = "qwen3",
     .add_towers = add_dflash},
    {.model_types = "dflash_laguna",
     .stems = "DFlashLaguna",
     .decoder = "laguna",
     .add_towers = add_dflash},
    {.model_types = "gemma4_assistant",
     .stems = "Gemma4Assistant",
     .traits = {.ties_embeddings = true},
     .decoder = "gemma4_text",
     .add_towers = add_gemma4_assistant},
});

}  // namespace

std::span<const Family> drafts() { return kDraftFamilies; }

}  // namespace gpushape::catalog
