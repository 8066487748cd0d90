// What a feed-forward network and its experts hold. Sources: LlamaMLP, DeepseekV3MoE,
// Qwen2MoeSparseMoeBlock, GptOssMLP and NemotronHMOE of transformers; order and what lies in one
// allocation as in vLLM.
#include "domain/tensor_list.hpp"

namespace gpushape::domain {
namespace {

struct FeedForwardNames {
  std::string_view gate, up, down, gate_bias, up_bias, down_bias, fused, fused_bias;
};
constexpr FeedForwardNames kDense{.gate = "mlp.gate_proj",
                                  .up = "mlp.up_proj",
                                  .down = "mlp.down_proj",
                                  .gate_bias = "mlp.gate_proj.bias",
                                  .up_bias = "mlp.up_proj.bias",
                                  .down_bias = "mlp.down_proj.bias",
                                  .fused = "gate_up",
                                  .fused_bias = "gate_up_bias"};
constexpr FeedForwardNames kShared{.gate = "mlp.shared_experts.gate_proj",
                                   .up = "mlp.shared_experts.up_proj",
                                   .down = "mlp.shared_experts.down_proj",
                                   .gate_bias = "mlp.shared_experts.gate_proj.bias",
                                   .up_bias = "mlp.shared_experts.up_proj.bias",
                                   .down_bias = "mlp.shared_experts.down_proj.bias",
                                   .fused = "shared_gate_up",
                                   .fused_bias = "shared_gate_up_bias"};

struct Network {
  std::int64_t width = 0;
  bool is_gated = true;
  bool has_bias = false;
};

void add_network(TensorList& list, const FeedForwardNames& names, TensorPart part,
                 const Network& network, std::int64_t hidden_size) {
  const std::string_view fused = network.is_gated ? names.fused : "";
  const std::string_view fused_bias = network.is_gated ? names.fused_bias : "";
  if (network.is_gated)
    list.linear(names.gate, part, network.width, hidden_size, Split::Rows, fused);
  list.linear(names.up, part, network.width, hidden_size, Split::Rows, fused);
  if (network.has_bias) {
    if (network.is_gated)
      list.vector(names.gate_bias, part, network.width, Split::Rows, fused_bias);
    list.vector(names.up_bias, part, network.width, Split::Rows, fused_bias);
  }
  list.linear(names.down, part, hidden_size, network.width, Split::Columns);
  if (network.has_bias) list.vector(names.down_bias, part, hidden_size);
}

// One tensor of every routed expert.
Tensor& add_routed(TensorList& list, const Experts& experts, Tensor tensor) {
  Tensor& added = list.matrix(tensor.name, TensorPart::Expert, tensor.rows, tensor.columns,
                              Split::Experts, tensor.fused);
  added.copies = experts.count;
  added.expert_split = tensor.expert_split;
  added.is_linear = tensor.columns > 0;
  return added;
}

void add_routed_experts(TensorList& list, const Experts& experts, std::int64_t hidden_size) {
  const std::int64_t space = experts.latent_width > 0 ? experts.latent_width : hidden_size;
  const auto add = [&](std::string_view name, std::int64_t rows, std::int64_t columns,
                       Split expert_split, std::string_view fused) {
    add_routed(list, experts,
               {.name = name,
                .rows = rows,
                .columns = columns,
                .expert_split = expert_split,
                .fused = fused});
  };
  if (experts.is_gated) add("mlp.experts.gate_proj", experts.width, space, Split::Rows, "w13");
  add("mlp.experts.up_proj", experts.width, space, Split::Rows, "w13");
  if (experts.bias) {
    if (experts.is_gated)
      add("mlp.experts.gate_proj.bias", experts.width, 0, Split::Rows, "w13_bias");
    add("mlp.experts.up_proj.bias", experts.width, 0, Split::Rows, "w13_bias");
    add("mlp.experts.down_proj.bias", space, 0, Split::None, "w2_bias");
  }
  add("mlp.experts.down_proj", space, experts.width, Split::Columns, "w2");
}

void add_experts(TensorList& list, const Experts& experts, std::int64_t hidden_size) {
  list.matrix("mlp.gate", TensorPart::Router, experts.count, hidden_size, Split::None);
  if (experts.router_bias) list.vector("mlp.gate.bias", TensorPart::Router, experts.count);
  if (experts.correction_bias)
    list.vector("mlp.gate.e_score_correction_bias", TensorPart::Router, experts.count).is_float32 =
        true;
  if (experts.shared_width > 0) {
    add_network(list, kShared, TensorPart::Expert,
                {.width = experts.shared_width, .is_gated = experts.is_gated}, hidden_size);
  }
  if (experts.shared_gate)
    list.matrix("mlp.shared_expert_gate", TensorPart::Router, 1, hidden_size, Split::None);
  if (experts.latent_width > 0)
    list.linear("mlp.fc1_latent_proj", TensorPart::Expert, experts.latent_width, hidden_size,
                Split::None);
  add_routed_experts(list, experts, hidden_size);
  if (experts.latent_width > 0)
    list.linear("mlp.fc2_latent_proj", TensorPart::Expert, hidden_size, experts.latent_width,
                Split::None);
}

}  // namespace

void add_feed_forward(TensorList& list, const FeedForward& feed_forward, std::int64_t hidden_size) {
  if (feed_forward.width > 0) {
    add_network(list, kDense, TensorPart::FeedForward,
                {.width = feed_forward.width,
                 .is_gated = feed_forward.gated,
                 .has_bias = feed_forward.bias},
                hidden_size);
  }
  if (feed_forward.experts) add_experts(list, *feed_forward.experts, hidden_size);
}

}  // namespace gpushape::domain
