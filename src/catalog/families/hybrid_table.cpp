// Decoders with recurrent layers. What a field means: families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::HeadNorm;

constexpr auto kHybridFamilies = std::to_array<Family>({
    {.model_types = "qwen3_next",
     .stems = "Qwen3Next",
     .read = read_qwen_hybrid,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .head_norm = HeadNorm::Shared,
                .head_dim = 256,
                .rotary_share = 0.25}},
    {.model_types = "qwen3_5_text qwen3_5_moe_text",
     .stems = "Qwen3_5 Qwen3_5Moe",
     .read = read_qwen_hybrid,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .head_norm = HeadNorm::Shared,
                .head_dim = 256,
                .rotary_share = 0.25}},
    {.model_types = "olmo_hybrid",
     .stems = "OlmoHybrid",
     .read = read_olmo_hybrid,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .head_norm = HeadNorm::Each,
                .is_multi_head = true}},
    {.model_types = "zamba2",
     .stems = "Zamba2",
     .read = read_zamba2,
     .traits = {.ties_embeddings = true, .width_factor = 4, .is_multi_head = true}},
    {.model_types = "granitemoehybrid",
     .stems = "GraniteMoeHybrid",
     .read = read_granite_hybrid,
     .traits = {.ties_embeddings = true,
                .qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias"}},
    {.model_types = "kimi_linear",
     .stems = "KimiLinear",
     .read = read_kimi_linear,
     .traits = {.context = 1048576}},
    {.model_types = "minimax minimax_m1 minimax_text_01",
     .stems = "MiniMax MiniMaxM1 MiniMaxText01",
     .read = read_minimax},
    {.model_types = "jamba", .stems = "Jamba", .read = read_jamba},
    {.model_types = "bamba",
     .stems = "Bamba",
     .read = read_bamba,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias"}},
    {.model_types = "falcon_h1",
     .stems = "FalconH1",
     .read = read_falcon_h1,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias"}},
    {.model_types = "mamba",
     .stems = "Mamba",
     .read = read_mamba,
     .traits = {.ties_embeddings = true}},
    {.model_types = "falcon_mamba",
     .stems = "FalconMamba",
     .read = read_mamba,
     .traits = {.ties_embeddings = true}},
    {.model_types = "mamba2", .stems = "Mamba2", .read = read_mamba2},
    {.model_types = "rwkv5",
     .stems = "Rwkv Rwkv5",
     .read = read_rwkv5,
     .traits = {.norm_bias = true}},
    {.model_types = "nemotron_h",
     .stems = "NemotronH",
     .read = read_nemotron_h,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias",
                .gated = false}},
    {.model_types = "lfm2 lfm2_moe",
     .stems = "Lfm2 Lfm2Moe",
     .read = read_lfm2,
     .traits = {.ties_embeddings = true, .head_norm = HeadNorm::Shared}},
});

}  // namespace

std::span<const Family> hybrids() { return kHybridFamilies; }

}  // namespace gpushape::catalog
