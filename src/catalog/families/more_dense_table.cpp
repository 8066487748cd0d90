// Dense decoders that differ from llama in a part of their own: the rows of more_dense.cpp. What a
// field means: families.hpp.
#include <array>

#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::HeadNorm;

constexpr auto kMoreDenseFamilies = std::to_array<Family>({
    {.model_types = "telechat telechat2",
     .stems = "TeleChat Telechat TeleChat2 Telechat2",
     .read = read_telechat,
     .traits = {.ties_embeddings = true, .output_bias = true, .context = 8192},
     .source = "the class in vLLM (model_executor/models/telechat2.py)"},
    {.model_types = "hyperclovax",
     .stems = "HyperCLOVAX",
     .read = read_hyperclovax,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias",
                .norms = 4},
     .source = "the class in vLLM (model_executor/models/hyperclovax.py)"},
    {.model_types = "cwm",
     .stems = "Cwm",
     .read = read_cwm,
     .traits = {.mlp_bias_field = "mlp_bias",
                .head_dim = 128,
                .sliding = SlidingRule::Always,
                .sliding_window = 8192,
                .rope_theta = 1e6}},
    {.model_types = "Emu3",
     .stems = "Emu3ForCausalLM",
     .read = read_dense,
     .traits = {.rope_theta = 1000000},
     .source = "modeling_emu3.py and configuration_emu3.py of BAAI's Emu3 repositories"},
    {.model_types = "diffllama",
     .stems = "DiffLlama",
     .read = read_diffllama,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .sizes = {.context = 2048}}},
    {.model_types = "doge",
     .stems = "Doge",
     .read = read_doge,
     .traits = {.qkv_bias_field = "attention_bias",
                .output_bias_field = "attention_bias",
                .mlp_bias_field = "mlp_bias",
                .head_norm = HeadNorm::Shared}},
    {.model_types = "plamo3",
     .stems = "Plamo3",
     .read = read_plamo3,
     .traits = {.ties_embeddings = true,
                .head_norm = HeadNorm::Shared,
                .head_dim = 128,
                .norms = 4,
                .sliding = SlidingRule::Periodic,
                .sliding_period = 8,
                .rope_theta = 1e6,
                .local_rope_theta = 10000},
     .source = "the class in vLLM (model_executor/models/plamo3.py)"},
    {.model_types = "Motif motif",
     .stems = "Motif",
     .read = read_motif,
     .traits = {.qkv_bias_field = "use_bias",
                .output_bias_field = "use_bias",
                .mlp_bias_field = "use_bias",
                .sliding = SlidingRule::OnSwitch},
     .source = "the class in vLLM 0.10 (model_executor/models/motif.py)"},
});

}  // namespace

std::span<const Family> more_dense() { return kMoreDenseFamilies; }

}  // namespace gpushape::catalog
