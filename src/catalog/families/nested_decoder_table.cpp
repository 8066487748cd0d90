// Decoders that stand in composites alone. What a field means: families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::HeadNorm;

constexpr auto kNestedFamilies = std::to_array<Family>({
    // PaddleOCRVLConfig, which does not tie.
    {.model_types = "paddleocr_vl_text",
     .stems = "PaddleOCRText",
     .read = read_dense,
     .traits = {.qkv_bias_field = "use_bias",
                .output_bias_field = "use_bias",
                .mlp_bias_field = "use_bias",
                .head_dim = 128,
                .context = 131072,
                .sizes = {.kv_heads = 2}}},
    {.model_types = "molmo2_text",
     .stems = "Molmo2Text",
     .read = read_molmo2,
     .traits = {.qkv_bias = true,
                .qkv_bias_field = "qkv_bias",
                .head_norm = HeadNorm::Shared,
                .head_norm_field = "use_qk_norm",
                .head_dim = 128}},
    {.model_types = "mllama_text_model", .stems = "MllamaText", .read = read_mllama},
    {.model_types = "muse_glimmer_text",
     .stems = "MuseGlimmer",
     .read = read_dense,
     .traits = {.output_gate = domain::OutputGate::Value,  // self_attn.output_gate_proj
                .head_norm = HeadNorm::Shared,
                .norms = 4,
                .sliding = SlidingRule::Periodic,
                .sliding_period = 4}},
    {.model_types = "chameleon_text",
     .stems = "ChameleonText",
     .read = read_chameleon,
     .traits = {.mlp_bias_field = "mlp_bias", .head_norm = HeadNorm::Each, .context = 4096}},
    {.model_types = "emu3_text_model",
     .stems = "Emu3Text",
     .read = read_dense,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias",
                .rope_theta = 1000000,
                .sizes = {.hidden = 4096,
                          .layers = 32,
                          .heads = 32,
                          .kv_heads = 8,
                          .width = 14336,
                          .vocabulary = 184622,
                          .context = 9216}},
     .source = "default of the emu3_text_model family in transformers (Emu3TextConfig)"},
    {.model_types = "bagel_text",
     .stems = "BagelText",
     .read = read_dense,
     .traits = {.qkv_bias = true,
                .head_norm = HeadNorm::Shared,
                .head_norm_field = "qk_norm",
                .sliding = SlidingRule::OnSwitch}},
    {.model_types = "donut_text",
     .stems = "DonutText",
     .read = read_donut,
     .traits = {.ties_embeddings = true}},
    {.model_types = "nemotron_parse_text",
     .stems = "NemotronParseText",
     .read = read_nemotron_parse,
     .traits = {.sizes = {.hidden = 1024, .vocabulary = 250027}}},
    {.model_types = "voxtral_realtime_text",
     .stems = "VoxtralRealtimeText",
     .read = read_voxtral_realtime,
     .traits = {.ties_embeddings = true,
                .sliding = SlidingRule::Always,
                .sizes = {.context = 131072}}},
});

}  // namespace

std::span<const Family> nested_decoders() { return kNestedFamilies; }

}  // namespace gpushape::catalog
