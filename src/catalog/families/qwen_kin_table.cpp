// Decoders with Qwen's encoder of images, of whatever family they are. What a field means:
// families.hpp.
#include <array>

#include "catalog/families/composite.hpp"
#include "catalog/families/decoder.hpp"
#include "catalog/families/family_tables.hpp"
#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

using domain::Role;

constexpr auto kQwenKin = std::to_array<Family>({
    {.model_types = "qwen2_vl",
     .stems = "Qwen2VL",
     .decoder = "qwen2",
     .add_towers = add_qwen2_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "qwen2_5_vl",
     .stems = "Qwen2_5_VL",
     .decoder = "qwen2",
     .add_towers = add_qwen2_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "exaone4_5",
     .stems = "Exaone4_5_",
     .decoder = "exaone4",
     .add_towers = add_qwen2_vision,
     .role = Role::Vision},
    {.model_types = "qwen3_vl",
     .stems = "Qwen3VL",
     .decoder = "qwen3",
     .add_towers = add_qwen3_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "qwen3_vl_moe",
     .stems = "Qwen3VLMoe",
     .decoder = "qwen3_vl_moe_text",
     .add_towers = add_qwen3_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "qwen3_5 qwen3_5_moe",
     .stems = "Qwen3_5 Qwen3_5Moe",
     .decoder = "qwen3_5_text",
     .add_towers = add_qwen3_vision,
     .role = Role::Vision},
    {.model_types = "qwen4_exp",
     .stems = "Qwen4Exp",
     .decoder = "qwen4_exp_text",
     .add_towers = add_qwen4_vision,
     .role = Role::Vision},
    {.model_types = "qwen2_5_omni",
     .stems = "Qwen2_5Omni Qwen2_5OmniThinker",
     .decoder = "qwen2",
     .add_towers = add_qwen_omni,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "qwen3_omni_moe",
     .stems = "Qwen3OmniMoe Qwen3OmniMoeThinker",
     .decoder = "qwen3_omni_moe_text",
     .add_towers = add_qwen_omni,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "opencua",
     .stems = "OpenCUA",
     .decoder = "qwen2",
     .add_towers = add_qwen2_vision,
     .role = Role::Vision},
    {.model_types = "tarsier2",
     .stems = "Tarsier2",
     .decoder = "qwen2",
     .add_towers = add_qwen2_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
    {.model_types = "interns1_pro",
     .stems = "InternS1Pro",
     .decoder = "interns1_pro_text",
     .add_towers = add_interns1_pro_vision,
     .role = Role::Vision},
    {.model_types = "colqwen3 ops_colqwen3 qwen3_vl_nemotron_embed",
     .stems = "ColQwen3 OpsColQwen3Model Qwen3VLNemotronEmbedModel",
     .decoder = "qwen3",
     .add_towers = add_colqwen3,
     .role = Role::Embed,
     .sectioned_rope = true},
    {.model_types = "colqwen3_5",
     .stems = "ColQwen3_5",
     .decoder = "qwen3_5_text",
     .add_towers = add_colqwen35,
     .role = Role::Embed},
    // What its checkpoints hold to paint pictures is not loaded (vLLM
    // model_executor/models/cosmos3.py).
    {.model_types = "cosmos3_omni cosmos3",
     .stems = "Cosmos3",
     .decoder = "qwen3",
     .add_towers = add_qwen3_vision,
     .role = Role::Vision,
     .sectioned_rope = true},
});

}  // namespace

std::span<const Family> qwen_kin() { return kQwenKin; }

}  // namespace gpushape::catalog
