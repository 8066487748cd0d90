// Encoders, and encoders with a decoder behind them. What a field means: families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

constexpr Traits kBert{
    .ties_embeddings = true,
    .qkv_bias = true,
    .output_bias = true,
    .mlp_bias = true,
    .gated = false,
    .norm_bias = true,
    .is_multi_head = true,
    .context = 512,
};

constexpr auto kEncoderFamilies = std::to_array<Family>({
    {.model_types = "bert",
     .stems = "Bert JinaBert",
     .read = read_bert,
     .traits = kBert,
     .role = Role::Embed},
    {.model_types = "xlm-roberta roberta",
     .stems = "XLMRoberta Roberta",
     .read = read_xlm_roberta,
     .traits = kBert,
     .role = Role::Embed},
    {.model_types = "distilbert",
     .stems = "DistilBert",
     .read = read_distilbert,
     .traits = kBert,
     .role = Role::Embed},
    {.model_types = "mpnet",
     .stems = "MPNet",
     .read = read_mpnet,
     .traits = kBert,
     .role = Role::Embed},
    {.model_types = "nomic_bert",
     .stems = "NomicBert",
     .read = read_nomic_bert,
     .traits = {.norm_bias = true, .is_multi_head = true, .context = 8192},
     .role = Role::Embed},
    {.model_types = "new gte",
     .stems = "New Gte",
     .read = read_gte,
     .traits = {.ties_embeddings = true,
                .qkv_bias = true,
                .output_bias = true,
                .norm_bias = true,
                .is_multi_head = true,
                .context = 8192},
     .role = Role::Embed},
    {.model_types = "modernbert",
     .stems = "ModernBert",
     .read = read_modern_bert,
     .traits = {.ties_embeddings = true, .is_multi_head = true},
     .role = Role::Embed},
    {.model_types = "eurobert",
     .stems = "EuroBert",
     .read = read_eurobert,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias"},
     .role = Role::Embed},
    {.model_types = "clip_text_model",
     .stems = "CLIPText",
     .read = read_clip,
     .traits = kBert,
     .role = Role::Embed},
    {.model_types = "clip", .stems = "CLIP", .decoder = "clip_text_model", .role = Role::Embed},
    {.model_types = "bart mbart",
     .stems = "Bart MBart",
     .read = read_bart,
     .traits = {.ties_embeddings = true, .norm_bias = true}},
    {.model_types = "whisper",
     .stems = "Whisper",
     .read = read_whisper,
     .traits = {.ties_embeddings = true, .norm_bias = true},
     .role = Role::Speech},
});

}  // namespace

std::span<const Family> encoders() { return kEncoderFamilies; }

}  // namespace gpushape::catalog
