// Source: llama.cpp src/models/bert.cpp, src/models/modern-bert.cpp and src/llama-graph.cpp
// (build_attn_inp_no_cache, build_attn, build_attn_mha). Values are turned before the scores are
// made, since what a product reads first is computed first.
#include "estimate/ggml/encoder_graph.hpp"

#include <algorithm>
#include <string_view>

namespace gpushape::estimate::ggml {
namespace {

/// Unlike RMSNorm it is not made in place.
Id layer_norm(Graph& graph, Id input) {
  const Id normed = graph.compute(graph.shape(input), {input});
  return graph.in_place({graph.in_place({normed, graph.external()}), graph.external()});
}

bool has_positions(const domain::Model& model) {
  constexpr std::string_view kPositions = "embeddings.position_embeddings";
  return std::ranges::find(model.extra, kPositions, &domain::ExtraTensor::name) !=
         model.extra.end();
}

struct EncoderHeads {
  Id query = kNoTensor;
  Id key = kNoTensor;
  Id value = kNoTensor;
};

EncoderHeads encoder_heads(Graph& graph, const domain::Attention& attention, bool is_turned,
                           Id positions, Id input) {
  const auto one = [&](std::int64_t count, bool turns) {
    Id heads = project(graph, input, count * attention.head_dim);
    if (attention.qkv_bias) heads = graph.in_place({heads, graph.external()});
    heads = graph.reshape(heads, {attention.head_dim, count, kTokens});
    return turns ? graph.compute(graph.shape(heads), {heads, positions}) : heads;
  };
  EncoderHeads heads;
  heads.query = one(attention.heads, is_turned);
  heads.key = one(attention.kv_heads, is_turned);
  heads.value = one(attention.kv_heads, false);
  return heads;
}

/// Kernels take keys and values in 16 bits.
Id halved(Graph& graph, Id heads) { return graph.compute(graph.shape(heads), {heads}, kHalf); }

Id attended_both_ways(Graph& graph, const domain::Attention& attention, const GraphPlan& plan,
                      const StepInputs& inputs, const EncoderHeads& heads) {
  const std::int64_t width = attention.value_head_dim;
  const Id query = graph.view(heads.query, graph.shape(heads.query), false);
  if (plan.habits.flash_attention) {
    const Id result = graph.compute(
        {width, attention.heads, kTokens},
        {query, halved(graph, heads.key), halved(graph, heads.value), inputs.full.mask});
    return graph.reshape(result, {width * attention.heads, kTokens});
  }
  const Id values = graph.compute({kTokens, width, attention.kv_heads},
                                  {graph.view(heads.value, graph.shape(heads.value), false)});
  graph.expand(values);
  const Id scores = graph.compute({kTokens, kTokens, attention.heads},
                                  {graph.view(heads.key, graph.shape(heads.key), false), query});
  const Id shares = graph.in_place({scores, inputs.full.mask});
  const Id sums = graph.compute({width, kTokens, attention.heads}, {values, shares});
  const Id turned = graph.view(sums, {width, attention.heads, kTokens}, false);
  return graph.compute({width * attention.heads, kTokens}, {turned});
}

Id attention_of(Graph& graph, const domain::Model& model, const domain::Attention& attention,
                const GraphPlan& plan, const StepInputs& inputs, Id input) {
  const bool is_turned = model.rope.positions > 0;
  EncoderHeads heads = encoder_heads(graph, attention, is_turned, inputs.positions, input);
  if (plan.habits.encoders_make_heads_first) {
    for (const Id id : {heads.query, heads.key, heads.value}) graph.expand(id);
  } else {
    heads.key = graph.compute(graph.shape(heads.key), {heads.key});
  }
  Id result = attended_both_ways(graph, attention, plan, inputs, heads);
  graph.expand(result);
  result = project(graph, result, model.hidden_size);
  return attention.output_bias ? graph.in_place({result, graph.external()}) : result;
}

Id network_of(Graph& graph, const domain::Model& model, const domain::FeedForward& forward,
              const GraphPlan& plan, Id input) {
  if (forward.experts) return add_experts(graph, model, *forward.experts, plan.habits, input);
  return add_network(graph, forward, plan.habits, input);
}

}  // namespace

bool is_encoder(const domain::Model& model) {
  return !model.layers.empty() &&
         std::ranges::all_of(model.layers, [](const domain::LayerRun& run) {
           return run.layer.attention.kind == domain::LayerKind::None &&
                  run.layer.attention.kv_heads > 0 && !run.layer.recurrent;
         });
}

StepInputs encoder_inputs(Graph& graph, const GraphPlan& plan) {
  StepInputs inputs;
  inputs.positions = graph.input({kTokens}, kFloat);
  inputs.full.cells = kTokens;
  const Shape shape = {kTokens, kTokens};
  const bool is_half = plan.habits.flash_attention && plan.habits.has_half_mask;
  inputs.full.mask = graph.input(shape, is_half ? kHalf : kFloat);
  if (plan.habits.flash_attention && !is_half)
    inputs.full.mask = graph.compute(shape, {inputs.full.mask}, kHalf);
  return inputs;
}

Id embed_for_encoder(Graph& graph, const domain::Model& model, Id tokens) {
  Id sum = graph.in_place({tokens, graph.external()});
  if (has_positions(model)) {
    const Id places = graph.input({kTokens}, kFloat);
    const Id rows = graph.compute(graph.shape(tokens), {graph.external(), places});
    sum = graph.in_place({rows, sum});
  }
  return layer_norm(graph, sum);
}

Id add_encoder_layer(Graph& graph, const domain::Model& model, const domain::Layer& layer,
                     const GraphPlan& plan, const StepInputs& inputs, Id stream) {
  const bool is_normed_before = model.has_final_norm;
  const auto before = [&](Id id) { return is_normed_before ? layer_norm(graph, id) : id; };
  const auto behind = [&](Id id) { return is_normed_before ? id : layer_norm(graph, id); };
  const Id mixed = attention_of(graph, model, layer.attention, plan, inputs, before(stream));
  const Id middle = behind(graph.in_place({mixed, stream}));
  const Id network = network_of(graph, model, layer.feed_forward, plan, before(middle));
  return behind(graph.in_place({network, middle}));
}

}  // namespace gpushape::estimate::ggml
