// Buffers that vLLM's model classes make with the weights, for as many tokens as a step may hold,
// so that captured graphs find them where they were. What loads is printed with them.
//
//   fed      = fedLayers h T d          outputs of an encoder for the decoder's first layers
//   perLayer = layers p T d             each layer's own embedding of a token (Gemma 3n, Gemma 4)
//   chosen   = 4 k T                    the k tokens that an indexer chooses for each
//   streams  = s h T d                  s streams behind the last layer, for drafts (DeepSeek-V4)
//
// With T batched tokens, h the decoder's hidden size and d bytes of a value. Source: vLLM
// model_executor/models, deepstack_input_embeds of qwen3_vl.py and qwen3_omni_moe_thinker.py,
// per_layer_embeddings of gemma3n_mm.py and gemma4_mm.py, topk_indices_buffer of deepseek_v2.py,
// _mtp_hidden_buffer of vllm/models/deepseek_v4/nvidia/model.py. Qwen3-VL-8B with 8,192 tokens a
// step prints 16.78 GiB, 0.19 more than its tensors, Qwen3-VL-30B on two GPUs 29.31, 0.09 more;
// DeepSeek-V4-Pro with 8,192 tokens a step 102.77, with 512 102.34.
#include <algorithm>
#include <span>
#include <string_view>

#include "estimate/images.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

struct StepBuffers {
  std::int64_t fed = 0;
  std::int64_t per_layer = 0;
  std::int64_t chosen = 0;
  std::int64_t streams = 0;  ///< where they are kept
};

/// Rows of the tensor of that name; 0 where there is none.
std::int64_t rows_of(std::span<const domain::ExtraTensor> tensors, std::string_view name) {
  const auto tensor = std::ranges::find(tensors, name, &domain::ExtraTensor::name);
  return tensor == tensors.end() ? 0 : tensor->rows;
}

/// Values of a layer's own embedding of a token, of which a gate lets in as many.
std::int64_t layer_embedding(const domain::Model& model) {
  return model.layers.empty() ? 0
                              : rows_of(model.layers.front().layer.extra, "per_layer_input_gate");
}

std::int64_t chosen_tokens(const domain::Model& model) {
  for (const domain::LayerRun& run : model.layers) {
    if (run.layer.attention.indexer) return run.layer.attention.indexer->top_tokens;
  }
  return 0;
}

/// Hyper-connections keep so many hidden states a token, which their head brings together.
std::int64_t streams_of(const domain::Model& model) { return rows_of(model.extra, "hc_head_fn"); }

/// Whether they are kept: always, or for drafts only.
Spread share_of_streams(const Plan& plan) {
  return plan.weights.loads_drafts ? certain(1) : plan.facts.value("streamsKept");
}

StepBuffers buffers_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const domain::Model& model = *plan.model;
  const std::int64_t tokens = plan.max_num_batched_tokens;
  const std::int64_t value_bytes = tokens * plan.weights.dtype_bytes;
  const Conditions& conditions = plan.facts.conditions();
  constexpr std::int64_t kIndexBytes = 4;
  StepBuffers buffers;
  if (conditions.has_indexer != 0) buffers.chosen = kIndexBytes * chosen_tokens(model) * tokens;
  if (conditions.has_compressed != 0 && situation.stage.has_head)
    buffers.streams = streams_of(model) * model.hidden_size * value_bytes;
  const bool has_encoder =
      conditions.has_towers != 0 && plan.weights.loads_towers && situation.stage.has_embedding;
  if (!has_encoder) return buffers;
  buffers.fed = fed_layers(model) * model.hidden_size * value_bytes;
  buffers.per_layer = layer_count(model) * layer_embedding(model) * value_bytes;
  return buffers;
}

}  // namespace

bool has_step_buffers(const Situation& situation) { return step_buffers_bytes(situation).high > 0; }

Spread step_buffers_bytes(const Situation& situation) {
  const StepBuffers buffers = buffers_of(situation);
  const Spread always =
      certain(static_cast<double>(buffers.fed + buffers.per_layer + buffers.chosen));
  if (buffers.streams == 0) return always;
  return always + share_of_streams(*situation.plan) * static_cast<double>(buffers.streams);
}

void describe_step_buffers(const Situation& situation, domain::Term& term) {
  const StepBuffers buffers = buffers_of(situation);
  const domain::Model& model = *situation.plan->model;
  const auto add = [&](std::string_view product, auto... inputs) {
    term.formula += term.formula.empty() ? "" : " + ";
    term.formula += product;
    (term.inputs.push_back(inputs), ...);
  };
  using domain::Input;
  if (buffers.fed > 0) {
    add("fedLayers x hiddenSize x batchedTokens x dtypeBytes",
        Input{"fedLayers", fed_layers(model)}, Input{"hiddenSize", model.hidden_size});
  }
  if (buffers.per_layer > 0) {
    add("layers x layerEmbedding x batchedTokens x dtypeBytes", Input{"layers", layer_count(model)},
        Input{"layerEmbedding", layer_embedding(model)});
  }
  if (buffers.streams > 0) {
    add("streamsKept x streams x hiddenSize x batchedTokens x dtypeBytes",
        Input{"streamsKept", share_of_streams(*situation.plan).expected},
        Input{"streams", streams_of(model)}, Input{"hiddenSize", model.hidden_size});
  }
  if (buffers.chosen > 0)
    add("chosenTokens x 4 x batchedTokens", Input{"chosenTokens", chosen_tokens(model)});
  term.inputs.push_back({"batchedTokens", situation.plan->max_num_batched_tokens});
  if (buffers.fed + buffers.per_layer + buffers.streams > 0)
    term.inputs.push_back({"dtypeBytes", situation.plan->weights.dtype_bytes});
  term.source =
      "vLLM model_executor/models: deepstack_input_embeds (qwen3_vl.py), per_layer_embeddings "
      "(gemma3n_mm.py, gemma4_mm.py), topk_indices_buffer (deepseek_v2.py), _mtp_hidden_buffer "
      "(deepseek_v4/nvidia/model.py); Qwen3-VL-2B, -8B and -30B of 0.12 to 0.20 print as much "
      "beside their tensors";
}

}  // namespace gpushape::estimate::terms
