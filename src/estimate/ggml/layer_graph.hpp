// One layer of a decoder in the graph of a step.
#pragma once

#include <cstdint>

#include "domain/model.hpp"
#include "estimate/ggml/graph.hpp"
#include "estimate/ggml/step_graph.hpp"

namespace gpushape::estimate::ggml {

/// What layers of one sort of cache share.
struct CacheInputs {
  Extent cells;
  Id mask = kNoTensor;
  Id key_rows = kNoTensor;
  Id value_rows = kNoTensor;
};

/// What the host writes before a step.
struct StepInputs {
  Id positions = kNoTensor;
  Id outputs = kNoTensor;
  Id key_rotation = kNoTensor;
  Id value_rotation = kNoTensor;
  CacheInputs full;
  CacheInputs window;
  bool has_window = false;
};

/// Rows that the values of one token are written to.
std::int64_t value_rows_of(const domain::Model& model, const GraphPlan& plan);

Id norm(Graph& graph, Id input, bool has_bias = false);
Id project(Graph& graph, Id input, const Extent& width);

/// The layer's output. The last one goes on with the rows that logits are wanted of.
Id add_layer(Graph& graph, const domain::Model& model, const domain::Layer& layer,
             const GraphPlan& plan, const StepInputs& inputs, Id stream, bool is_last);

Id add_attention(Graph& graph, const domain::Model& model, const domain::Attention& attention,
                 const GraphPlan& plan, const StepInputs& inputs, Id input);
Id add_latent_attention(Graph& graph, const domain::Model& model,
                        const domain::Attention& attention, const GraphPlan& plan,
                        const StepInputs& inputs, Id input);
Id add_mixer(Graph& graph, const domain::Model& model, const domain::Recurrent& mixer, Id input);
Id add_network(Graph& graph, const domain::FeedForward& network, const BuildHabits& habits,
               Id input);
Id add_experts(Graph& graph, const domain::Model& model, const domain::Experts& experts,
               const BuildHabits& habits, Id input);

}  // namespace gpushape::estimate::ggml
