#include "estimate/ggml/layer_graph.hpp"

#include <array>

namespace gpushape::estimate::ggml {
namespace {

Id biased(Graph& graph, Id input, bool has_bias) {
  return has_bias ? graph.in_place({input, graph.external()}) : input;
}

Id gated(Graph& graph, Id gate, Id up) { return graph.compute(graph.shape(up), {gate, up}); }

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
         const DecoderGraph& plan, const StepInputs& inputs, Id input) {
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

Id transformed(Graph& graph, const domain::Model& model, const domain::Layer& layer, Id input) {
  Id result = kNoTensor;
  if (layer.feed_forward.width > 0) result = add_network(graph, layer.feed_forward, input);
  if (layer.feed_forward.experts) {
    const Id experts = add_experts(graph, model, *layer.feed_forward.experts, input);
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

Id add_network(Graph& graph, const domain::FeedForward& network, Id input) {
  const Id up = biased(graph, project(graph, input, network.width), network.bias);
  Id inner = kNoTensor;
  if (network.gated) {
    const Id gate = biased(graph, project(graph, input, network.width), network.bias);
    inner = gated(graph, gate, up);
  } else {
    inner = activated(graph, up);
  }
  const Extent width = graph.shape(input)[0];
  return biased(graph, project(graph, inner, width), network.bias);
}

namespace {

/// How much of each chosen expert a token takes; `chosen` are their numbers.
Id expert_shares(Graph& graph, const domain::Model& model, const domain::Experts& experts, Id input,
                 Id& chosen) {
  const Extent tokens = graph.shape(input)[1];
  const bool is_late = model.family == "gpt_oss";  // softmax over the chosen ones only
  Id logits = biased(graph, project(graph, input, experts.count), experts.router_bias);
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

Id routed(Graph& graph, const domain::Model& model, const domain::Experts& experts, Id input) {
  const Extent hidden = graph.shape(input)[0];
  const Extent tokens = graph.shape(input)[1];
  Id chosen = kNoTensor;
  const Id shares = expert_shares(graph, model, experts, input, chosen);
  const Id each = graph.reshape(input, {hidden, 1, tokens});
  const Id up = of_experts(graph, each, experts.width, experts, chosen);
  Id inner = kNoTensor;
  if (experts.is_gated) {
    inner = gated(graph, of_experts(graph, each, experts.width, experts, chosen), up);
  } else {
    inner = activated(graph, up);
  }
  Id down = of_experts(graph, inner, hidden, experts, chosen);
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

Id add_experts(Graph& graph, const domain::Model& model, const domain::Experts& experts, Id input) {
  const Id sum = routed(graph, model, experts, input);
  if (experts.shared_width == 0) return sum;
  Id gate = kNoTensor;
  if (experts.shared_gate) gate = activated(graph, project(graph, input, 1));
  Id shared = add_network(graph, {.width = experts.shared_width, .gated = experts.is_gated}, input);
  if (gate != kNoTensor) shared = graph.in_place({shared, gate});
  return graph.in_place({sum, shared});
}

Id add_layer(Graph& graph, const domain::Model& model, const domain::Layer& layer,
             const DecoderGraph& plan, const StepInputs& inputs, Id stream, bool is_last) {
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
    const Id network = transformed(graph, model, layer, network_input);
    return graph.in_place({graph.in_place({network, residual}), mixture});
  }
  if (is_last) {
    mixture = wanted_rows(graph, mixture, inputs);
    residual = wanted_rows(graph, residual, inputs);
  }
  if (has_later_norms(layer)) mixture = norm(graph, mixture);
  const Id middle = graph.in_place({mixture, residual});
  Id network = transformed(graph, model, layer, norm(graph, middle, layer.norm_bias));
  if (network == kNoTensor) return middle;
  if (has_later_norms(layer)) network = norm(graph, network);
  return graph.in_place({network, middle});
}

}  // namespace gpushape::estimate::ggml
