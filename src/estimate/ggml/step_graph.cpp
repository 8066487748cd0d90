#include "estimate/ggml/step_graph.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "estimate/ggml/encoder_graph.hpp"
#include "estimate/ggml/layer_graph.hpp"

namespace gpushape::estimate::ggml {
namespace {

/// Families whose tokens' embeddings are scaled before the first layer, and whose logits are
/// squeezed by tanh.
constexpr auto kScaledEmbeddings = std::to_array<std::string_view>(
    {"gemma", "gemma2", "gemma3", "gemma3_text", "gemma3n", "gemma4", "gemma4_text", "granite",
     "granitemoe", "granitemoehybrid", "minicpm"});
constexpr auto kSqueezedLogits =
    std::to_array<std::string_view>({"gemma2", "gemma3n", "gemma4", "gemma4_text"});

bool is_among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool keeps_rotation(domain::KvCacheType type, std::int64_t width) {
  constexpr std::int64_t kLeastRotation = 64;
  return domain::kv_cache_format(type).key.block > 0 && width > 0 && width % kLeastRotation == 0;
}

/// The rotation of keys is the largest power of two that divides a head, that of values 64.
std::int64_t key_rotation(std::int64_t width) {
  std::int64_t rotation = 64;
  while (width % (2 * rotation) == 0) rotation *= 2;
  return rotation;
}

struct HeadWidths {
  std::int64_t key = 0;  ///< -1 where layers differ
  std::int64_t value = 0;
};

void merge(std::int64_t& all, std::int64_t one) { all = all == 0 || all == one ? one : -1; }

HeadWidths head_widths(const domain::Model& model) {
  HeadWidths widths;
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    if (attention.kv_heads <= 0) continue;
    merge(widths.key, attention.head_dim);
    merge(widths.value, attention.value_head_dim);
  }
  return widths;
}

bool has_window(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    return run.layer.attention.window_tokens > 0;
  });
}

StepInputs make_inputs(Graph& graph, const domain::Model& model, const GraphPlan& plan) {
  const bool is_half = plan.habits.flash_attention && plan.habits.has_half_mask;
  const auto mask = [&](const Extent& cells) {
    // Where sequences have caches of their own, the tokens are dealt out to them: as many in all.
    const Shape shape = {cells, kTokens};
    const Id input = graph.input(shape, is_half ? kHalf : kFloat);
    const bool is_turned = plan.habits.flash_attention && !plan.habits.has_half_mask;
    return is_turned ? graph.compute(shape, {input}, kHalf) : input;
  };
  StepInputs inputs;
  inputs.positions = graph.input({kTokens}, kFloat);
  inputs.outputs = graph.input({kOutputs}, kFloat);
  for (CacheInputs* cache : {&inputs.full, &inputs.window}) {
    cache->cells = cache == &inputs.full ? kCells : kWindowCells;
    cache->mask = mask(cache->cells);
    if (!plan.habits.writes_rows) continue;
    cache->key_rows = graph.input({kTokens}, kLong);
    cache->value_rows = graph.input({kTokens * value_rows_of(model, plan)}, kLong);
  }
  const HeadWidths widths = head_widths(model);
  if (plan.habits.rotates_quantized) {
    if (keeps_rotation(plan.key_type, widths.key)) {
      const std::int64_t rotation = key_rotation(widths.key);
      inputs.key_rotation = graph.input({rotation, rotation}, kFloat);
    }
    if (keeps_rotation(plan.value_type, widths.value))
      inputs.value_rotation = graph.input({64, 64}, kFloat);
  }
  return inputs;
}

/// Embeddings of the step's tokens, on the host.
Id embed(Graph& graph, const domain::Model& model, const GraphPlan& plan) {
  graph.place_on(graph.host());
  const Id tokens = graph.input({kTokens}, kFloat);
  const Id rows = graph.compute({model.hidden_size, kTokens}, {graph.external(), tokens});
  graph.expand(rows);
  if (plan.habits.has_embedding_input)
    graph.expand(graph.input({model.hidden_size, kTokens}, kFloat));
  return rows;
}

/// What a layer is to the allocator: its kind, and its device.
std::vector<std::size_t> kinds_of(const domain::Model& model, const GraphPlan& plan) {
  std::vector<const domain::Layer*> seen;
  std::vector<std::size_t> kinds;
  for (const domain::LayerRun& run : model.layers) {
    const auto same =
        std::ranges::find_if(seen, [&](const domain::Layer* layer) { return *layer == run.layer; });
    const auto kind = static_cast<std::size_t>(same - seen.begin());
    if (same == seen.end()) seen.push_back(&run.layer);
    for (std::int64_t i = 0; i < run.count; ++i) {
      const int device = plan.device_of_layer.at(kinds.size());
      kinds.push_back(kind * static_cast<std::size_t>(plan.devices) +
                      static_cast<std::size_t>(device));
    }
  }
  return kinds;
}

/// Of a stretch of layers that repeats every `period` layers, two rounds stay at its beginning and
/// two and the rest at its end. What is left out is an even number of rounds, since two tensors may
/// change places from one round to the next.
std::vector<bool> layers_in_graph(const std::vector<std::size_t>& kinds) {
  constexpr std::size_t kLongestPeriod = 8;
  constexpr std::size_t kKeptRounds = 4;
  std::vector<bool> is_there(kinds.size(), true);
  std::size_t at = 0;
  while (at < kinds.size()) {
    std::size_t end = at + 1;
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
      std::size_t last = at + period;
      while (last < kinds.size() && kinds[last] == kinds[last - period]) ++last;
      last = std::min(last, kinds.size());
      const std::size_t length = last - at;
      const std::size_t kept = kKeptRounds * period + length % (2 * period);
      if (length < kept + 2 * period) continue;
      const auto first = is_there.begin() + static_cast<std::ptrdiff_t>(at + 2 * period);
      std::fill_n(first, length - kept, false);
      end = last;
      break;
    }
    at = end;
  }
  return is_there;
}

/// Attention and network read the same norm, so that a layer's input lives on beside both and no
/// round need leave the allocator as the one before did.
bool has_parallel_blocks(const domain::Model& model) {
  return std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
    const bool has_both =
        run.layer.attention.kind != domain::LayerKind::None && run.layer.feed_forward.width > 0;
    return has_both && run.layer.norms == 1;
  });
}

/// Where a layer is computed, and where its weights lie.
void place_layer(Graph& graph, const GraphPlan& plan, std::size_t index) {
  const int device = plan.device_of_layer.at(index);
  const bool is_away =
      plan.habits.offloads_products && device == graph.host() && graph.devices() > 1;
  graph.place_on(is_away ? 0 : device);
  graph.keep_away(is_away ? &plan.weights_of_layer.at(index) : nullptr);
}

}  // namespace

std::int64_t value_rows_of(const domain::Model& model, const GraphPlan& plan) {
  if (plan.habits.flash_attention) return 1;
  std::int64_t most = 1;  // the values of a token lie apart: a row each
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    most = std::max(most, attention.kv_heads * attention.value_head_dim);
  }
  return most;
}

Graph step_graph(const domain::Model& model, const GraphPlan& plan) {
  Graph graph(plan.devices);
  const bool encodes = is_encoder(model);
  Id stream = embed(graph, model, plan);
  if (encodes) stream = embed_for_encoder(graph, model, stream);
  place_layer(graph, plan, 0);
  graph.keep_away(nullptr);
  if (is_among(kScaledEmbeddings, model.family)) stream = graph.in_place({stream});
  StepInputs inputs = encodes ? encoder_inputs(graph, plan) : make_inputs(graph, model, plan);
  inputs.has_window = has_window(model);
  const std::vector<std::size_t> kinds = kinds_of(model, plan);
  const std::vector<bool> is_there = plan.leaves_out_repeats && !has_parallel_blocks(model)
                                         ? layers_in_graph(kinds)
                                         : std::vector<bool>(kinds.size(), true);
  std::size_t index = 0;
  for (const domain::LayerRun& run : model.layers) {
    for (std::int64_t i = 0; i < run.count; ++i, ++index) {
      if (!is_there[index]) continue;
      place_layer(graph, plan, index);
      const bool is_last = index + 1 == kinds.size();
      stream = encodes ? add_encoder_layer(graph, model, run.layer, plan, inputs, stream)
                       : add_layer(graph, model, run.layer, plan, inputs, stream, is_last);
    }
  }
  place_layer(graph, plan, index);
  if (!encodes || model.has_final_norm) stream = norm(graph, stream);
  if (model.has_head && !encodes) {
    stream = project(graph, stream, model.vocabulary);
    if (is_among(kSqueezedLogits, model.family)) {
      for (int i = 0; i < 3; ++i) stream = graph.in_place({stream});
    }
  }
  graph.expand(stream);
  return graph;
}

}  // namespace gpushape::estimate::ggml
