#include "catalog/foreign_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>

namespace gpushape::catalog {
namespace {

using document::Node;
using document::Reader;

// Fields that change what a model holds and that the dense families do not have. One of them with a
// value means that the model is something else than its model_type says.
constexpr auto kForeign = std::to_array<std::string_view>({
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "moe_num_experts",
    "moe_intermediate_size",
    "num_shared_experts",
    "n_shared_experts",
    "kv_lora_rank",
    "q_lora_rank",
    "text_config",
    "llm_config",
    "language_config",
    "vision_config",
    "audio_config",
    "thinker_config",
    "block_configs",
    "cross_attention_layers",
    "attention_chunk_size",
    "hybrid_override_pattern",
    "layers_block_type",
    "attn_layer_period",
    "full_attention_interval",
    "linear_attn_config",
    "mamba_d_state",
    "ssm_state_size",
    "num_nextn_predict_layers",
    "mtp_num_hidden_layers",
    "num_kv_shared_layers",
    "num_attention_heads_per_layer",
    "global_head_dim",
    "v_head_dim",
    "use_qk_norm",
    "qk_norm",
});

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
void refuse_bias(const Fields& fields, const Family& family, std::string_view field) {
  if (!fields.boolean(field).value_or(false)) return;
  fields.complain(field, fmt::format("{} is true, but the {} family has no such bias", field,
                                     family.model_type));
}

}  // namespace

void refuse_foreign_fields(const Fields& fields, const Family& family) {
  Reader& reader = fields.reader();
  for (const std::string_view field : kForeign) {
    const Node* node = reader.node(field);
    if (node == nullptr || !says_something(*node)) continue;
    if (family.query_key_norm && field.ends_with("qk_norm")) continue;
    fields.complain(field,
                    fmt::format("field '{}' is not understood in a model of type '{}'", field,
                                family.model_type),
                    "the model holds something that a dense model of this family does not");
  }
  if (!family.reads_attention_bias && !family.qkv_bias)
    refuse_bias(fields, family, "attention_bias");
  if (!family.reads_mlp_bias) refuse_bias(fields, family, "mlp_bias");
  std::set<std::string_view> seen;
  for (const Node::Entry& entry : reader.self().entries()) {
    if (!seen.insert(entry.name).second) {
      reader.diagnostics().push_back(reader.source().diagnostic(
          entry.position, fmt::format("field '{}' stands twice", entry.name)));
    }
  }
}

}  // namespace gpushape::catalog
