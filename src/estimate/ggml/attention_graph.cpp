// Attention and mixers with a state in the graph of a step. Source: llama.cpp src/llama-graph.cpp
// (build_qkv, build_attn, build_attn_mha), src/llama-kv-cache.cpp (cpy_k, cpy_v, get_k, get_v),
// src/models/deepseek2.cpp, src/models/delta-net-base.cpp.
#include <algorithm>

#include "domain/kv_cache_type.hpp"
#include "estimate/ggml/layer_graph.hpp"
#include "estimate/ggml/quantize_mix.hpp"

namespace gpushape::estimate::ggml {
namespace {

/// Queries, keys and values of a step: heads of each token.
struct Heads {
  Id query = kNoTensor;
  Id key = kNoTensor;
  Id value = kNoTensor;
};

Id rotated_by(Graph& graph, Id heads, Id matrix) {
  const Shape shape = graph.shape(heads);
  const Extent width = graph.shape(matrix)[0];
  const Shape rows = {width, divided(shape[0] * shape[1] * shape[2] * shape[3], width.count)};
  const Id flat =
      graph.is_contiguous(heads) ? graph.reshape(heads, rows) : graph.compute(rows, {heads});
  return graph.reshape(graph.compute(rows, {matrix, flat}), shape);
}

Id with_positions(Graph& graph, Id heads, const StepInputs& inputs) {
  return graph.compute(graph.shape(heads), {heads, inputs.positions});
}

Id head_norm(Graph& graph, Id heads) {
  // The memory of a reshaped tensor is never taken over.
  const Id normed = graph.compute(graph.shape(heads), {heads});
  return graph.in_place({normed, graph.external()});
}

Heads split_fused(Graph& graph, const domain::Attention& attention, const BuildHabits& habits,
                  Id input) {
  const Extent tokens = graph.shape(input)[1];
  const std::int64_t width = (attention.heads + attention.kv_heads) * attention.head_dim +
                             attention.kv_heads * attention.value_head_dim;
  Id all = project(graph, input, width);
  if (attention.qkv_bias) all = graph.in_place({all, graph.external()});
  const auto part = [&](std::int64_t count, std::int64_t of_each) {
    const Shape shape = {of_each, count, tokens};
    if (!habits.copies_split_heads) return graph.view(all, shape, false);
    return graph.reshape(graph.compute({of_each * count, tokens}, {all}), shape);
  };
  return {.query = part(attention.heads, attention.head_dim),
          .key = part(attention.kv_heads, attention.head_dim),
          .value = part(attention.kv_heads, attention.value_head_dim)};
}

Heads split_apart(Graph& graph, const domain::Attention& attention, Id input) {
  const Extent tokens = graph.shape(input)[1];
  const auto heads = [&](std::int64_t count, std::int64_t width) {
    Id one = project(graph, input, count * width);
    if (attention.qkv_bias) one = graph.in_place({one, graph.external()});
    return graph.reshape(one, {width, count, tokens});
  };
  Heads result;
  result.query = heads(attention.heads, attention.head_dim);
  result.key = heads(attention.kv_heads, attention.head_dim);
  result.value =
      attention.value_is_key ? result.key : heads(attention.kv_heads, attention.value_head_dim);
  return result;
}

bool scales_queries(const domain::Model& model) { return model.family.starts_with("gemma"); }

const CacheInputs& cache_of(const domain::Attention& attention, const StepInputs& inputs) {
  return attention.window_tokens > 0 ? inputs.window : inputs.full;
}

void store(Graph& graph, Id heads, Id cache, Id rows, bool is_apart) {
  const Shape of = graph.shape(heads);
  const Extent tokens = of[2];
  const Extent width = of[0] * of[1];
  Id values = heads;
  if (is_apart && !graph.is_contiguous(heads)) {
    values = graph.compute({width, tokens}, {heads});
  } else {
    values = graph.view(heads, {width, tokens});
  }
  if (is_apart) values = graph.reshape(values, {1, width * tokens});
  const int place = graph.place();
  if (graph.is_away()) graph.place_on(graph.host());
  graph.expand(graph.write(cache, values, rows));
  graph.place_on(place);
}

Id cache_side(Graph& graph, const domain::KvSide& side, std::int64_t width, const Extent& cells) {
  return graph.cache(cells * domain::bytes_of(side, width));
}

// Sequences with caches of their own are attended to apart, each with its part of the tokens: as
// many values in all, so that shapes name the tokens together.

Id flash_attended(Graph& graph, const Heads& heads, Id keys, Id values, Id mask,
                  std::int64_t value_width) {
  const Extent count = graph.shape(heads.query)[1];
  const Id query = graph.view(heads.query, graph.shape(heads.query), false);
  const Id result = graph.compute({value_width, count, kTokens}, {query, keys, values, mask});
  return graph.reshape(result, {value_width * count, kTokens});
}

Id plainly_attended(Graph& graph, const Heads& heads, Id keys, Id values, const CacheInputs& cache,
                    std::int64_t value_width) {
  const Extent count = graph.shape(heads.query)[1];
  const Id query = graph.view(heads.query, graph.shape(heads.query), false);
  const Id scores = graph.compute({cache.cells, kTokens, count}, {keys, query});
  const Id shares = graph.in_place({scores, cache.mask});
  const Id sums = graph.compute({value_width, kTokens, count}, {values, shares});
  const Id turned = graph.view(sums, {value_width, count, kTokens}, false);
  return graph.compute({value_width * count, kTokens}, {turned});
}

Id attended(Graph& graph, Heads heads, const GraphPlan& plan, const StepInputs& inputs,
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
  const Extent of_keys = graph.shape(heads.key)[0] * graph.shape(heads.key)[1];
  const Extent of_values = graph.shape(heads.value)[0] * graph.shape(heads.value)[1];
  const Id keys =
      cache_side(graph, domain::kv_cache_format(plan.key_type).key, of_keys.count, cache.cells);
  const Id values = cache_side(graph, domain::kv_cache_format(plan.value_type).value,
                               of_values.count, cache.cells);
  store(graph, heads.key, keys, cache.key_rows, false);
  store(graph, heads.value, values, cache.value_rows, !plan.habits.flash_attention);
  Id result = plan.habits.flash_attention
                  ? flash_attended(graph, heads, keys, values, cache.mask, value_width)
                  : plainly_attended(graph, heads, keys, values, cache, value_width);
  graph.expand(result);
  if (inputs.value_rotation != kNoTensor) result = rotated_by(graph, result, inputs.value_rotation);
  return result;
}

}  // namespace

Id add_attention(Graph& graph, const domain::Model& model, const domain::Attention& attention,
                 const GraphPlan& plan, const StepInputs& inputs, Id input) {
  Heads heads = keeps_heads_together(model) ? split_fused(graph, attention, plan.habits, input)
                                            : split_apart(graph, attention, input);
  const bool has_norms = attention.head_norm != domain::HeadNorm::None;
  Id gate = kNoTensor;
  if (attention.output_gate != domain::OutputGate::None) {
    const Id wide = project(graph, input, attention.heads * attention.value_head_dim * 2);
    heads.query = graph.view(wide, graph.shape(heads.query), false);
    gate = graph.compute({attention.heads * attention.value_head_dim, kTokens}, {wide});
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
    result = graph.compute(graph.shape(gate), {result, graph.in_place({gate})});
  result = project(graph, result, model.hidden_size);
  return attention.output_bias ? graph.in_place({result, graph.external()}) : result;
}

Id add_latent_attention(Graph& graph, const domain::Model& model,
                        const domain::Attention& attention, const GraphPlan& plan,
                        const StepInputs& inputs, Id input) {
  const domain::Latent& latent = *attention.latent;
  const Extent tokens = kTokens;
  const std::int64_t unrotated = attention.head_dim - latent.rope_dim;
  const std::int64_t entry = latent.kv_rank + latent.rope_dim;
  Id query = input;
  if (latent.query_rank > 0) query = norm(graph, project(graph, input, latent.query_rank));
  query = project(graph, query, attention.heads * attention.head_dim);
  const Id plain = graph.view(query, {unrotated, attention.heads, tokens}, false);
  const Id turned = graph.view(query, {latent.rope_dim, attention.heads, tokens}, false);
  const Id both = project(graph, input, entry);
  const Id compressed = graph.view(both, {latent.kv_rank, tokens}, false);
  const Id key_part = graph.view(both, {latent.rope_dim, 1, tokens}, false);
  const Id turned_query = with_positions(graph, turned, inputs);
  const Id turned_key = with_positions(graph, key_part, inputs);
  const Id normed = head_norm(graph, compressed);
  const Id absorbed = graph.compute({latent.kv_rank, tokens, attention.heads},
                                    {graph.external(), graph.view(plain, graph.shape(plain))});
  const Id of_heads = graph.view(absorbed, {latent.kv_rank, attention.heads, tokens}, false);
  Heads heads;
  heads.query = graph.compute({entry, attention.heads, tokens}, {of_heads, turned_query});
  const Id latents = graph.reshape(normed, {latent.kv_rank, 1, tokens});
  heads.key = graph.compute({entry, 1, tokens}, {latents, turned_key});
  heads.value = latents;
  graph.expand(heads.query);
  graph.expand(heads.value);
  graph.expand(heads.key);
  const Id keys =
      cache_side(graph, domain::kv_cache_format(plan.key_type).key, entry, inputs.full.cells);
  store(graph, heads.key, keys, inputs.full.key_rows, false);
  Id result = plan.habits.flash_attention
                  ? flash_attended(graph, heads, keys, keys, inputs.full.mask, latent.kv_rank)
                  : plainly_attended(graph, heads, keys, keys, inputs.full, latent.kv_rank);
  // Latents become values: once for each head.
  const Id apart = graph.view(result, {latent.kv_rank, tokens, attention.heads}, false);
  const Id values =
      graph.compute({attention.value_head_dim, tokens, attention.heads}, {graph.external(), apart});
  const Id back = graph.view(values, {attention.value_head_dim, attention.heads, tokens}, false);
  result = graph.compute({attention.value_head_dim * attention.heads, tokens}, {back});
  graph.expand(result);
  return project(graph, result, model.hidden_size);
}

Id add_mixer(Graph& graph, const domain::Model& model, const domain::Recurrent& mixer, Id input) {
  using domain::RecurrentKind;
  const Extent tokens = kTokens;
  const bool has_heads = mixer.value_heads > 0;
  const std::int64_t values = has_heads ? mixer.value_heads * mixer.value_dim : mixer.inner;
  const bool is_delta = mixer.kind == RecurrentKind::GatedDelta || mixer.kind == RecurrentKind::Kda;
  const std::int64_t beside =
      is_delta ? 2 * mixer.key_heads * mixer.key_dim : 2 * mixer.groups * mixer.state;
  const std::int64_t channels = values + beside;
  const Extent state = for_each_sequence(is_delta ? values * mixer.key_dim : values * mixer.state);
  const Extent kept = for_each_sequence(std::max<std::int64_t>(0, mixer.convolution - 1));

  const Id mixed = project(graph, input, channels);
  const Id gate = project(graph, input, values);
  const Id old_inputs = graph.compute({kept * channels}, {graph.external()});
  const Id joined = graph.compute({tokens + kept, channels}, {old_inputs, mixed});
  const Id convolved =
      graph.in_place({graph.compute({channels, tokens}, {joined, graph.external()})});
  const Id old_state = graph.compute({state}, {graph.external()});
  const Id queries = graph.compute({std::max<std::int64_t>(1, beside), tokens},
                                   {graph.view(convolved, {beside, tokens}, false)});
  const Id result = graph.compute({values * tokens + state}, {queries, convolved, old_state});
  graph.expand(graph.write(graph.external(), result, kNoTensor));
  const Id outputs = graph.compute({values, tokens}, {graph.view(result, {values, tokens}, false)});
  const Id normed = graph.in_place({outputs, graph.external()});
  const Id gated = graph.in_place({normed, graph.in_place({gate})});
  return project(graph, gated, model.hidden_size);
}

}  // namespace gpushape::estimate::ggml
