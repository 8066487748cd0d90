#include "catalog/foreign_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;

// Fields that change what a model holds. One of them with a value that the family's reader did not
// ask for means that the model is something else than its model_type says.
constexpr auto kForeign = std::to_array<std::string_view>({
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "moe_num_experts",
    "moe_intermediate_size",
    "moe_latent_size",
    "num_shared_experts",
    "n_shared_experts",
    "moe_num_shared_experts",
    "shared_expert_intermediate_size",
    "kv_lora_rank",
    "q_lora_rank",
    "o_lora_rank",
    "text_config",
    "llm_config",
    "language_config",
    "vision_config",
    "audio_config",
    "thinker_config",
    "talker_config",
    "encoder_layers",
    "block_configs",
    "cross_attention_layers",
    "attention_chunk_size",
    "hybrid_override_pattern",
    "hybrid_layer_pattern",
    "layers_block_type",
    "attn_type_list",
    "attn_layer_period",
    "attn_layer_indices",
    "full_attention_interval",
    "full_attn_idxs",
    "linear_attn_config",
    "sparse_attention_config",
    "compress_ratios",
    "index_n_heads",
    "mamba_d_state",
    "mamba_num_heads",
    "ssm_state_size",
    "num_nextn_predict_layers",
    "mtp_num_hidden_layers",
    "num_mtp_modules",
    "num_kv_shared_layers",
    "hidden_size_per_layer_input",
    "num_attention_heads_per_layer",
    "attention_other_setting",
    "global_head_dim",
    "swa_head_dim",
    "v_head_dim",
    "use_qk_norm",
    "qk_norm",
    "qk_layernorm",
    "attn_output_gate",
    "gating",
    "use_head_wise_attn_gate",
    "attn_res_block_size",
    "hc_mult",
    "is_encoder_decoder",
    "mm_vision_tower",
    "num_moe_experts",
    "num_key_value_heads_per_layer",
    "layer_block_types",
    "swa_num_key_value_heads",
});

// Words in the name of a group of fields that speak of a part of its own.
constexpr auto kParts = std::to_array<std::string_view>({
    "vision",
    "visual",
    "vit_",
    "image",
    "audio",
    "speech",
    "video",
    "tower",
    "encoder",
    "expert",
    "moe",
    "ffn",
    "ssm",
    "mamba",
    "per_layer",
});

/// "visual", "speech_config", "ssm_cfg": a group that no reader has asked for.
bool is_foreign_group(const Node::Entry& entry) {
  return entry.value.is(Node::Kind::Mapping) && !entry.value.entries().empty() &&
         std::ranges::any_of(kParts,
                             [&](std::string_view word) { return entry.name.contains(word); });
}

bool says_something(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::Null:
      return false;
    case Node::Kind::Boolean:
      return node.boolean();
    case Node::Kind::Integer:
    case Node::Kind::Number:
      return node.number() != 0;
    case Node::Kind::String:
      return !node.text().empty();
    case Node::Kind::Sequence:
      return !node.items().empty();
    case Node::Kind::Mapping:
      return !node.entries().empty();
  }
  return true;
}

// The classes of these families have no such bias whatever the config says; engines differ.
void refuse_bias(Reader& reader, const Family& family, std::string_view field) {
  const Traits& traits = family.traits;
  if (traits.qkv_bias || traits.mlp_bias || reader.is_known(field)) return;
  if (!Fields(reader).boolean(field).value_or(false)) return;
  reader.complain(field, fmt::format("{} is true, but the {} family has no such bias", field,
                                     family.model_type()));
}

void complain_of_foreign(Reader& reader, const Family& family, std::string_view field) {
  reader.complain(field,
                  fmt::format("field '{}' is not understood in a model of type '{}'", field,
                              family.model_type()),
                  "the model holds something that this family does not");
}

}  // namespace

void refuse_foreign_fields(document::Reader& reader, const Family& family) {
  for (const std::string_view field : kForeign) {
    if (reader.is_known(field)) continue;
    const Node* node = reader.node(field);
    if (node == nullptr || !says_something(*node)) continue;
    // A norm on queries and keys that the family has in any case.
    if (family.traits.head_norm != domain::HeadNorm::None &&
        family.traits.head_norm_field.empty() && field.ends_with("qk_norm"))
      continue;
    complain_of_foreign(reader, family, field);
  }
  for (const Node::Entry& entry : reader.self().entries()) {
    const bool is_listed = std::ranges::find(kForeign, entry.name) != kForeign.end();
    if (!is_listed && !reader.is_known(entry.name) && is_foreign_group(entry))
      complain_of_foreign(reader, family, entry.name);
  }
  if (family.read != nullptr) {
    refuse_bias(reader, family, "attention_bias");
    refuse_bias(reader, family, "mlp_bias");
  }
  std::set<std::string_view> seen;
  for (const Node::Entry& entry : reader.self().entries()) {
    if (!seen.insert(entry.name).second) {
      reader.diagnostics().push_back(reader.source().diagnostic(
          entry.position, fmt::format("field '{}' stands twice", entry.name)));
    }
  }
}

}  // namespace gpushape::catalog
