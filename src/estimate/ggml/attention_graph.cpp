// Attention and mixers with a state in the graph of a step. Source: llama.cpp src/llama-graph.cpp
// (build_qkv, build_attn, build_attn_mha), src/llama-kv-cache.cpp (cpy_k, cpy_v, get_k, get_v),
// src/models/deepseek2.cpp, src/models/delta-net-base.cpp.
#include <algorithm>

#include "domain/kv_cache_type.hpp"
#include "estimate/ggml/layer_graph.hpp"

namespace gpushape::estimate::ggml {
namespace {

/// Queries, keys and values of a step: heads of each token.
struct Heads {
  Id query = kNoTensor;
  Id key = kNoTensor;
  Id value = kNoTensor;
};

Id rotated_by(Graph& graph, Id heads, Id matrix) {
  const Shape shape = graph[heads].shape;
  const std::int64_t width = graph[matrix].shape[0];
  const Shape rows = {width, shape[0] * shape[1] * shape[2] * shape[3] / width, 1, 1};
  const Id flat =
      graph[heads].is_contiguous ? graph.reshape(heads, rows) : graph.compute(rows, {heads});
  return graph.reshape(graph.compute(rows, {matrix, flat}), shape);
}

Id with_positions(Graph& graph, Id heads, const StepInputs& inputs) {
  return graph.compute(graph[heads].shape, {heads, inputs.positions});
}

Id head_norm(Graph& graph, Id heads) {
  // The memory of a reshaped tensor is never taken over.
  const Id normed = graph.compute(graph[heads].shape, {heads});
  return graph.in_place({normed, graph.external()});
}

Heads split_fused(Graph& graph, const domain::Attention& attention, Id input) {
  const std::int64_t tokens = graph[input].shape[1];
  const std::int64_t width = (attention.heads + attention.kv_heads) * attention.head_dim +
                             attention.kv_heads * attention.value_head_dim;
  Id all = project(graph, input, width);
  if (attention.qkv_bias) all = graph.in_place({all, graph.external()});
  return {
      .query = graph.view(all, {attention.head_dim, attention.heads, tokens, 1}, false),
      .key = graph.view(all, {attention.head_dim, attention.kv_heads, tokens, 1}, false),
      .value = graph.view(all, {attention.value_head_dim, attention.kv_heads, tokens, 1}, false)};
}

Heads split_apart(Graph& graph, const domain::Attention& attention, Id input) {
  const std::int64_t tokens = graph[input].shape[1];
  const auto heads = [&](std::int64_t count, std::int64_t width) {
    Id one = project(graph, input, count * width);
    if (attention.qkv_bias) one = graph.in_place({one, graph.external()});
    return graph.reshape(one, {width, count, tokens, 1});
  };
  Heads result;
  result.query = heads(attention.heads, attention.head_dim);
  result.key = heads(attention.kv_heads, attention.head_dim);
  result.value =
      attention.value_is_key ? result.key : heads(attention.kv_heads, attention.value_head_dim);
  return result;
}

/// Families whose files keep queries, keys and values in one tensor.
bool has_fused_projection(const domain::Model& model) {
  return model.family == "phi3" || model.family == "qwen" || model.family == "falcon" ||
         model.family == "gpt_neox" || model.family == "bloom" || model.family == "chatglm";
}

bool scales_queries(const domain::Model& model) { return model.family.starts_with("gemma"); }

const CacheInputs& cache_of(const domain::Attention& attention, const StepInputs& inputs) {
  return attention.window_tokens > 0 ? inputs.window : inputs.full;
}

void store(Graph& graph, Id heads, Id cache, Id rows, bool is_apart) {
  const Tensor of = graph[heads];
  const std::int64_t tokens = of.shape[2];
  const std::int64_t width = of.shape[0] * of.shape[1];
  Id values = heads;
  if (is_apart && !of.is_contiguous) {
    values = graph.compute({width, tokens, 1, 1}, {heads});
  } else {
    values = graph.view(heads, {width, tokens, 1, 1});
  }
  if (is_apart) values = graph.reshape(values, {1, width * tokens, 1, 1});
  graph.expand(graph.write(cache, values, rows));
}

struct Shared {
  std::int64_t streams = 1;
  std::int64_t tokens = 1;  ///< of each stream
};

Id flash_attended(Graph& graph, const Heads& heads, Id keys, Id values, Id mask,
                  const Shared& shared, std::int64_t value_width) {
  const std::int64_t count = graph[heads.query].shape[1];
  const Id query = graph.view(heads.query, graph[heads.query].shape, false);
  const Id result = graph.compute({value_width, count, shared.tokens, shared.streams},
                                  {query, keys, values, mask});
  return graph.reshape(result, {value_width * count, shared.tokens * shared.streams, 1, 1});
}

Id plainly_attended(Graph& graph, const Heads& heads, Id keys, Id values, const CacheInputs& cache,
                    const Shared& shared, std::int64_t value_width) {
  const std::int64_t count = graph[heads.query].shape[1];
  const Id query = graph.view(heads.query, graph[heads.query].shape, false);
  const Id scores =
      graph.compute({cache.cells, shared.tokens, count, shared.streams}, {keys, query});
  const Id shares = graph.in_place({scores, cache.mask});
  const Id sums =
      graph.compute({value_width, shared.tokens, count, shared.streams}, {values, shares});
  const Id turned = graph.view(sums, {value_width, count, shared.tokens, shared.streams}, false);
  return graph.compute({value_width * count, shared.tokens * shared.streams, 1, 1}, {turned});
}

Id attended(Graph& graph, Heads heads, const DecoderGraph& plan, const StepInputs& inputs,
            const CacheInputs& cache, std::int64_t value_width) {
  if (inputs.key_rotation != kNoTensor) {
    heads.query = rotated_by(graph, heads.query, inputs.key_rotation);
    heads.key = rotated_by(graph, heads.key, inputs.key_rotation);
  }
  if (inputs.value_rotation != kNoTensor)
    heads.value = rotated_by(graph, heads.value, inputs.value_rotation);
  graph.expand(heads.query);
  graph.expand(heads.value);
  graph.expand(heads.key);
  const Id keys = graph.external();
  const Id values = graph.external();
  store(graph, heads.key, keys, cache.key_rows, false);
  store(graph, heads.value, values, cache.value_rows, !plan.habits.flash_attention);
  const Shared shared{.streams = plan.sizes.streams,
                      .tokens = plan.sizes.tokens / plan.sizes.streams};
  Id result = plan.habits.flash_attention
                  ? flash_attended(graph, heads, keys, values, cache.mask, shared, value_width)
                  : plainly_attended(graph, heads, keys, values, cache, shared, value_width);
  graph.expand(result);
  if (inputs.value_rotation != kNoTensor) result = rotated_by(graph, result, inputs.value_rotation);
  return result;
}

}  // namespace

Id add_attention(Graph& graph, const domain::Model& model, const domain::Attention& attention,
                 const DecoderGraph& plan, const StepInputs& inputs, Id input) {
  Heads heads = has_fused_projection(model) ? split_fused(graph, attention, input)
                                            : split_apart(graph, attention, input);
  const bool has_norms = attention.head_norm != domain::HeadNorm::None;
  Id gate = kNoTensor;
  if (attention.output_gate != domain::OutputGate::None) {
    const Id wide = project(graph, input, attention.heads * attention.value_head_dim * 2);
    heads.query = graph.view(wide, graph[heads.query].shape, false);
    gate = graph.compute({attention.heads * attention.value_head_dim, plan.sizes.tokens, 1, 1},
                         {wide});
  }
  if (has_norms) heads.query = head_norm(graph, heads.query);
  heads.query = has_norms ? graph.in_place({heads.query, inputs.positions})
                          : with_positions(graph, heads.query, inputs);
  if (has_norms) heads.key = head_norm(graph, heads.key);
  heads.key = has_norms ? graph.in_place({heads.key, inputs.positions})
                        : with_positions(graph, heads.key, inputs);
  if (scales_queries(model)) heads.query = graph.in_place({heads.query});
  Id result =
      attended(graph, heads, plan, inputs, cache_of(attention, inputs), attention.value_head_dim);
  if (gate != kNoTensor)
    result = graph.compute(graph[gate].shape, {result, graph.in_place({gate})});
  result = project(graph, result, model.hidden_size);
  return attention.output_bias ? graph.in_place({result, graph.external()}) : result;
}

Id add_latent_attention(Graph& graph, const domain::Model& model,
                        const domain::Attention& attention, const DecoderGraph& plan,
                        const StepInputs& inputs, Id input) {
  const domain::Latent& latent = *attention.latent;
  const std::int64_t tokens = plan.sizes.tokens;
  const std::int64_t unrotated = attention.head_dim - latent.rope_dim;
  const std::int64_t entry = latent.kv_rank + latent.rope_dim;
  Id query = input;
  if (latent.query_rank > 0) query = norm(graph, project(graph, input, latent.query_rank));
  query = project(graph, query, attention.heads * attention.head_dim);
  const Id plain = graph.view(query, {unrotated, attention.heads, tokens, 1}, false);
  const Id turned = graph.view(query, {latent.rope_dim, attention.heads, tokens, 1}, false);
  const Id both = project(graph, input, entry);
  const Id compressed = graph.view(both, {latent.kv_rank, tokens, 1, 1}, false);
  const Id key_part = graph.view(both, {latent.rope_dim, 1, tokens, 1}, false);
  const Id turned_query = with_positions(graph, turned, inputs);
  const Id turned_key = with_positions(graph, key_part, inputs);
  const Id normed = head_norm(graph, compressed);
  const Id absorbed = graph.compute({latent.kv_rank, tokens, attention.heads, 1},
                                    {graph.external(), graph.view(plain, graph[plain].shape)});
  const Id of_heads = graph.view(absorbed, {latent.kv_rank, attention.heads, tokens, 1}, false);
  Heads heads;
  heads.query = graph.compute({entry, attention.heads, tokens, 1}, {of_heads, turned_query});
  const Id latents = graph.reshape(normed, {latent.kv_rank, 1, tokens, 1});
  heads.key = graph.compute({entry, 1, tokens, 1}, {latents, turned_key});
  heads.value = latents;
  graph.expand(heads.query);
  graph.expand(heads.value);
  graph.expand(heads.key);
  const Id keys = graph.external();
  store(graph, heads.key, keys, inputs.full.key_rows, false);
  const Shared shared{.streams = plan.sizes.streams, .tokens = tokens / plan.sizes.streams};
  Id result =
      plan.habits.flash_attention
          ? flash_attended(graph, heads, keys, keys, inputs.full.mask, shared, latent.kv_rank)
          : plainly_attended(graph, heads, keys, keys, inputs.full, shared, latent.kv_rank);
  // Latents become values: once for each head.
  const Id apart = graph.view(result, {latent.kv_rank, tokens, attention.heads, 1}, false);
  const Id values = graph.compute({attention.value_head_dim, tokens, attention.heads, 1},
                                  {graph.external(), apart});
  const Id back = graph.view(values, {attention.value_head_dim, attention.heads, tokens, 1}, false);
  result = graph.compute({attention.value_head_dim * attention.heads, tokens, 1, 1}, {back});
  graph.expand(result);
  return project(graph, result, model.hidden_size);
}

Id add_mixer(Graph& graph, const domain::Model& model, const domain::Recurrent& mixer,
             const DecoderGraph& plan, Id input) {
  using domain::RecurrentKind;
  const std::int64_t tokens = plan.sizes.tokens;
  const std::int64_t sequences = plan.sizes.sequences;
  const bool has_heads = mixer.value_heads > 0;
  const std::int64_t values = has_heads ? mixer.value_heads * mixer.value_dim : mixer.inner;
  const bool is_delta = mixer.kind == RecurrentKind::GatedDelta || mixer.kind == RecurrentKind::Kda;
  const std::int64_t beside =
      is_delta ? 2 * mixer.key_heads * mixer.key_dim : 2 * mixer.groups * mixer.state;
  const std::int64_t channels = values + beside;
  const std::int64_t state = is_delta ? values * mixer.key_dim : values * mixer.state;
  const std::int64_t kept = std::max<std::int64_t>(0, mixer.convolution - 1) * sequences;

  const Id mixed = project(graph, input, channels);
  const Id gate = project(graph, input, values);
  const Id old_inputs = graph.compute({kept * channels, 1, 1, 1}, {graph.external()});
  const Id joined = graph.compute({tokens + kept, channels, 1, 1}, {old_inputs, mixed});
  const Id convolved =
      graph.in_place({graph.compute({channels, tokens, 1, 1}, {joined, graph.external()})});
  const Id old_state = graph.compute({state * sequences, 1, 1, 1}, {graph.external()});
  const Id queries = graph.compute({std::max<std::int64_t>(1, beside), tokens, 1, 1},
                                   {graph.view(convolved, {beside, tokens, 1, 1}, false)});
  const Id result = graph.compute({values * tokens + state * sequences, 1, 1, 1},
                                  {queries, convolved, old_state});
  graph.expand(graph.write(graph.external(), result, kNoTensor));
  const Id outputs =
      graph.compute({values, tokens, 1, 1}, {graph.view(result, {values, tokens, 1, 1}, false)});
  const Id normed = graph.in_place({outputs, graph.external()});
  const Id gated = graph.in_place({normed, graph.in_place({gate})});
  return project(graph, gated, model.hidden_size);
}

}  // namespace gpushape::estimate::ggml
