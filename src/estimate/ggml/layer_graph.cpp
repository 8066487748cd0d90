#include "estimate/ggml/layer_graph.hpp"

#include <array>

namespace gpushape::estimate::ggml {
namespace {

Id biased(Graph& graph, Id input, bool has_bias) {
  return has_bias ? graph.in_place({input, graph.external()}) : input;
}

Id gated(Graph& graph, const BuildHabits& habits, Id gate, Id up) {
  if (habits.fuses_gates) return graph.compute(graph.shape(up), {gate, up});
  return graph.in_place({graph.in_place({gate}), up});
}

Id activated(Graph& graph, Id input) { return graph.in_place({input}); }

/// The rows that logits are wanted of.
Id wanted_rows(Graph& graph, Id input, const StepInputs& inputs) {
  return graph.compute({graph.shape(input)[0], kOutputs}, {input, inputs.outputs});
}

bool is_parallel(const domain::Layer& layer) {
  return layer.norms == 1 && layer.attention.heads > 0 &&
         (layer.feed_forward.width > 0 || layer.feed_forward.experts);
}

/// Four norms: two of them behind attention and network.
bool has_later_norms(const domain::Layer& layer) {
  constexpr int kAllNorms = 4;
  return layer.norms >= kAllNorms;
}

Id mixed(Graph& graph, const domain::Model& model, const domain::Layer& layer,
         const GraphPlan& plan, const StepInputs& inputs, Id input) {
  Id result = kNoTensor;
  if (layer.recurrent) result = add_mixer(graph, model, *layer.recurrent, input);
  if (layer.attention.heads > 0) {
    const bool is_latent = layer.attention.latent.has_value() && plan.habits.is_latent_compressed;
    const Id attended =
        is_latent ? add_latent_attention(graph, model, layer.attention, plan, inputs, input)
                  : add_attention(graph, model, layer.attention, plan, inputs, input);
    result = result == kNoTensor ? attended : graph.in_place({result, attended});
  }
  return result == kNoTensor ? input : result;
}

Id transformed(Graph& graph, const domain::Model& model, const domain::Layer& layer,
               const BuildHabits& habits, Id input) {
  Id result = kNoTensor;
  if (layer.feed_forward.width > 0) result = add_network(graph, layer.feed_forward, habits, input);
  if (layer.feed_forward.experts) {
    const Id experts = add_experts(graph, model, *layer.feed_forward.experts, habits, input);
    result = result == kNoTensor ? experts : graph.in_place({result, experts});
  }
  return result;
}

}  // namespace

Id norm(Graph& graph, Id input, bool has_bias) {
  const Id normed = graph.in_place({input});
  return biased(graph, graph.in_place({normed, graph.weight(graph.shape(input)[0])}), has_bias);
}

Id project(Graph& graph, Id input, const Extent& width) {
  const Shape of = graph.shape(input);
  return graph.compute({width, of[1], of[2], of[3]}, {graph.weight(width * of[0]), input});
}

Id add_network(Graph& graph, const domain::FeedForward& network, const BuildHabits& habits,
               Id input) {
  const Id up = biased(graph, project(graph, input, network.width), network.bias);
  Id inner = kNoTensor;
  if (network.gated) {
    const Id gate = biased(graph, project(graph, input, network.width), network.bias);
    inner = gated(graph, habits, gate, up);
  } else {
    inner = activated(graph, up);
  }
  const Extent width = graph.shape(input)[0];
  return biased(graph, project(graph, inner, width), network.bias);
}

namespace {

/// Gemma 4 has its router read what its experts do not, keeps an expert's first two matrices as one
/// and scales what each of them gives. Source: llama.cpp src/models/gemma4-iswa.cpp.
bool has_own_router(const domain::Model& model) { return model.family.starts_with("gemma4"); }

/// How much of each chosen expert a token takes; `chosen` are their numbers.
Id expert_shares(Graph& graph, const domain::Model& model, const domain::Experts& experts,
                 Id router_input, Id& chosen) {
  const Extent tokens = graph.shape(router_input)[1];
  const bool is_late = model.family == "gpt_oss";  // softmax over the chosen ones only
  const Id logits = biased(graph, project(graph, router_input, experts.count), experts.router_bias);
  const Id probabilities = is_late ? logits : graph.in_place({logits});
  const Id selection =
      experts.correction_bias ? graph.in_place({probabilities, graph.external()}) : probabilities;
  const Id sorted = graph.compute({experts.count, tokens}, {selection});
  chosen = graph.view(sorted, {experts.active, tokens}, false);
  const Id each = graph.reshape(probabilities, {1, experts.count, tokens});
  Id shares = graph.compute({1, experts.active, tokens}, {each, chosen});
  shares = graph.reshape(shares, {experts.active, tokens});
  if (is_late) {
    shares = graph.in_place({shares});
  } else {
    const Id sum = graph.compute({1, tokens}, {shares});
    shares = graph.in_place({shares, graph.view(sum, {1, tokens})});
  }
  shares = graph.reshape(shares, {1, experts.active, tokens});
  graph.expand(shares);
  return shares;
}

Id of_experts(Graph& graph, Id input, const Extent& width, const domain::Experts& experts,
              Id chosen) {
  const Extent tokens = graph.shape(input)[2];
  const Id result =
      graph.compute({width, experts.active, tokens},
                    {graph.weight(width * graph.shape(input)[0] * experts.count), input, chosen});
  return experts.bias ? graph.in_place({result, graph.external(), chosen}) : result;
}

/// What lies between an expert's first matrices and its last.
Id inside_experts(Graph& graph, const domain::Model& model, const domain::Experts& experts,
                  const BuildHabits& habits, Id each, Id chosen) {
  if (has_own_router(model)) {
    const Id both = of_experts(graph, each, 2 * experts.width, experts, chosen);
    const Shape half = {experts.width, experts.active, graph.shape(both)[2]};
    const Id gate = graph.view(both, half, false);
    return gated(graph, habits, gate, graph.view(both, half, false));
  }
  const Id up = of_experts(graph, each, experts.width, experts, chosen);
  if (!experts.is_gated) return activated(graph, up);
  return gated(graph, habits, of_experts(graph, each, experts.width, experts, chosen), up);
}

/// A factor for each expert, laid out for each token.
Id scaled_by_expert(Graph& graph, const domain::Experts& experts, Id down, Id chosen) {
  const Extent tokens = graph.shape(down)[2];
  const Id factors = graph.compute({1, experts.count, tokens}, {graph.external()});
  return graph.in_place({down, graph.compute({1, experts.active, tokens}, {factors, chosen})});
}

Id routed(Graph& graph, const domain::Model& model, const domain::Experts& experts,
          const BuildHabits& habits, Id input, Id router_input) {
  const Extent hidden = graph.shape(input)[0];
  const Extent tokens = graph.shape(input)[1];
  Id chosen = kNoTensor;
  const Id shares = expert_shares(graph, model, experts, router_input, chosen);
  const Id each = graph.reshape(input, {hidden, 1, tokens});
  const Id inner = inside_experts(graph, model, experts, habits, each, chosen);
  Id down = of_experts(graph, inner, hidden, experts, chosen);
  if (has_own_router(model)) down = scaled_by_expert(graph, experts, down, chosen);
  down = graph.in_place({down, shares});
  graph.expand(down);
  std::vector<Id> parts;
  for (std::int64_t i = 0; i < experts.active; ++i) {
    parts.push_back(graph.view(down, {hidden, tokens}, false));
    graph.expand(parts.back());
  }
  Id sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    sum = graph.in_place({sum, parts[i]});
    graph.expand(sum);
  }
  return parts.size() > 1 ? sum : graph.compute({hidden, tokens}, {sum});
}

}  // namespace

Id add_experts(Graph& graph, const domain::Model& model, const domain::Experts& experts,
               const BuildHabits& habits, Id input) {
  const Id sum = routed(graph, model, experts, habits, input, input);
  if (experts.shared_width == 0) return sum;
  Id gate = kNoTensor;
  if (experts.shared_gate) gate = activated(graph, project(graph, input, 1));
  Id shared =
      add_network(graph, {.width = experts.shared_width, .gated = experts.is_gated}, habits, input);
  if (gate != kNoTensor) shared = graph.in_place({shared, gate});
  return graph.in_place({sum, shared});
}

namespace {

/// A network and experts beside it, each with norms of its own, and the router with another.
Id beside_each_other(Graph& graph, const domain::Model& model, const domain::FeedForward& forward,
                     const BuildHabits& habits, Id middle) {
  const Id network = norm(graph, add_network(graph, forward, habits, norm(graph, middle)));
  const Id input = norm(graph, middle);
  const Id experts = routed(graph, model, *forward.experts, habits, input, norm(graph, middle));
  return graph.in_place({network, norm(graph, experts)});
}

Id after_attention(Graph& graph, const domain::Model& model, const domain::Layer& layer,
                   const BuildHabits& habits, Id middle) {
  if (has_own_router(model) && layer.feed_forward.experts)
    return beside_each_other(graph, model, layer.feed_forward, habits, middle);
  return transformed(graph, model, layer, habits, norm(graph, middle, layer.norm_bias));
}

}  // namespace

Id add_layer(Graph& graph, const domain::Model& model, const domain::Layer& layer,
             const GraphPlan& plan, const StepInputs& inputs, Id stream, bool is_last) {
  Id residual = stream;
  const Id normed = norm(graph, stream, layer.norm_bias);
  Id mixture = mixed(graph, model, layer, plan, inputs, normed);
  if (is_parallel(layer)) {
    Id network_input = normed;
    if (is_last) {
      mixture = wanted_rows(graph, mixture, inputs);
      residual = wanted_rows(graph, residual, inputs);
      network_input = wanted_rows(graph, normed, inputs);
    }
    const Id network = transformed(graph, model, layer, plan.habits, network_input);
    return graph.in_place({graph.in_place({network, residual}), mixture});
  }
  if (is_last) {
    mixture = wanted_rows(graph, mixture, inputs);
    residual = wanted_rows(graph, residual, inputs);
  }
  if (has_later_norms(layer)) mixture = norm(graph, mixture);
  const Id middle = graph.in_place({mixture, residual});
  Id network = after_attention(graph, model, layer, plan.habits, middle);
  if (network == kNoTensor) return middle;
  if (has_later_norms(layer)) network = norm(graph, network);
  return graph.in_place({network, middle});
}

}  // namespace gpushape::estimate::ggml
