// Encoders in the graph of a step: every token of the step looks at every other, and nothing is
// cached.
#pragma once

#include "estimate/ggml/layer_graph.hpp"

namespace gpushape::estimate::ggml {

/// All layers attend in both directions, as BERT's do.
bool is_encoder(const domain::Model& model);

/// What the host writes before a step: the mask is as long as the step.
StepInputs encoder_inputs(Graph& graph, const GraphPlan& plan);

/// The sum of a token's embedding, its type's and its position's, with the norm on it. Computed
/// where the graph is placed.
Id embed_for_encoder(Graph& graph, const domain::Model& model, Id tokens);

/// The layer's output: norms follow attention and network, or precede them where the model ends
/// with a norm of its own.
Id add_encoder_layer(Graph& graph, const domain::Model& model, const domain::Layer& layer,
                     const GraphPlan& plan, const StepInputs& inputs, Id stream);

}  // namespace gpushape::estimate::ggml
