// Gemma and what is built as it is. What a field means: families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::HeadNorm;

// GemmaConfig and Gemma2Config: the decoders of PaliGemma leave out what equals them.
constexpr Traits kGemma{
    .ties_embeddings = true,
    .qkv_bias_field = "attention_bias",
    .output_bias_field = "attention_bias",
    .head_dim = 256,
    .sizes = {.hidden = 3072,
              .layers = 28,
              .heads = 16,
              .kv_heads = 16,
              .width = 24576,
              .vocabulary = 256000,
              .context = 8192},
};
constexpr Traits kGemma2{
    .ties_embeddings = true,
    .qkv_bias_field = "attention_bias",
    .output_bias_field = "attention_bias",
    .head_dim = 256,
    .norms = 4,
    .sliding = SlidingRule::Periodic,
    .sliding_window = 4096,
    .sliding_period = 2,
    .sizes = {.hidden = 2304,
              .layers = 26,
              .heads = 8,
              .kv_heads = 4,
              .width = 9216,
              .vocabulary = 256000,
              .context = 8192},
};
// Every block of the first Gemma has two norms, later ones four.
constexpr Traits kGemma3{
    .ties_embeddings = true,
    .qkv_bias_field = "attention_bias",
    .output_bias_field = "attention_bias",
    .head_norm = HeadNorm::Shared,
    .head_dim = 256,
    .norms = 4,
    .sliding = SlidingRule::Periodic,
    .sliding_window = 4096,
    .sliding_period = 6,
    .rope_theta = 1e6,
    .local_rope_theta = 10000,
    .keeps_context = true,  // vLLM leaves the factor out of Gemma 3's longest context
    .sizes = {.hidden = 2304,
              .layers = 26,
              .heads = 8,
              .kv_heads = 4,
              .width = 9216,
              .vocabulary = 262208,
              .context = 131072},
};
constexpr Traits kGemma4{
    .ties_embeddings = true,
    .qkv_bias_field = "attention_bias",
    .output_bias_field = "attention_bias",
    .head_norm = HeadNorm::Shared,
    .head_dim = 256,
    .norms = 4,
    .sliding = SlidingRule::Periodic,
    .sliding_window = 512,
    .sliding_period = 6,
};

constexpr auto kGemmaFamilies = std::to_array<Family>({
    {.model_types = "gemma",
     .stems = "Gemma",
     .read = read_dense,
     .traits = kGemma,
     .source = "default of the gemma family in transformers (GemmaConfig)"},
    {.model_types = "gemma2",
     .stems = "Gemma2",
     .read = read_dense,
     .traits = kGemma2,
     .source = "default of the gemma2 family in transformers (Gemma2Config)"},
    {.model_types = "t5_gemma_module",
     .stems = "T5GemmaModule",
     .read = read_t5gemma,
     .traits = kGemma2,
     .source = "default of the t5gemma family in transformers (T5GemmaModuleConfig)"},
    {.model_types = "gemma3_text",
     .stems = "Gemma3 Gemma3Text Rnj1",
     .read = read_dense,
     .traits = kGemma3},
    {.model_types = "gemma3n_text",
     .stems = "Gemma3n Gemma3nText",
     .read = read_gemma3n,
     .traits = {.ties_embeddings = true,
                .head_norm = HeadNorm::Shared,
                .head_dim = 256,
                .norms = 4,
                .sliding = SlidingRule::Periodic,
                .sliding_window = 512,
                .sliding_period = 5}},
    {.model_types = "gemma4_text", .stems = "Gemma4", .read = read_gemma4, .traits = kGemma4},
    {.model_types = "diffusion_gemma_text",
     .stems = "DiffusionGemmaText",
     .read = read_diffusion_gemma,
     .traits = kGemma4},
    // Gemma 2 without the norms behind attention and network.
    {.model_types = "vaultgemma",
     .stems = "VaultGemma",
     .read = read_dense,
     .traits = {.ties_embeddings = true,
                .qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .head_dim = 256,
                .sliding = SlidingRule::Periodic,
                .sliding_window = 4096,
                .sliding_period = 2}},
});

}  // namespace

std::span<const Family> gemmas() { return kGemmaFamilies; }

}  // namespace gpushape::catalog
