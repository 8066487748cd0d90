// Captured CUDA graphs: a part that grows with every layer and every captured batch size, the
// working memory of the largest batch, and kernels that load on the way.
//
//   graphs  = base + captures (layers perLayerCapture + expertLayers perExpertsCapture)
//             + largest / 512 largestCapture + graphActivations widest + splits
//             + graphLogits rows vocabulary
//             + attentionWorkspace + decodes attentionPerDecode + draftGraphs
//   widest  = largest x (3 or 2 f) x dtypeBytes, with f the width of a layer on this rank
//   splits  = splitsOfGraphs x largest x heads x valueSize x 4
//   rows    = the sum of all captured batches, where each graph keeps logits of its own
//   decodes = batches that are captured whole, to the most sequences: FlashInfer keeps a workspace,
//             and buffers for each of them (vLLM v1/attention/backends/flashinfer.py)
//
// The parts have causes of their own, so that their bounds add in squares. What one layer's capture
// takes follows from the kernels that the matrix library chooses for its shapes: the same command
// started again differs by 2 MiB in 900, models of other shapes by a tenth.
//
// With adapters every linear layer launches kernels of its own beside its product, so that a
// layer's part grows by adapterLaunches; from 0.11.1 every size is captured once more without them.
//
// Batch sizes 1, 2, 4, then every eighth to 256 and every sixteenth beyond, up to twice the
// sequences, each with what is drafted for it; versions with `graphsOfAnyBatch` go up to the
// largest batch however few sequences there are. A start that says its batches has those. The
// splits are the partial results of an attention kernel that cuts long contexts, in 32 bits, for
// the largest batch that is captured whole. Source: vLLM config/vllm.py, _set_cudagraph_sizes;
// v1/attention/backends/flash_attn.py (max_num_splits); first captures of the 0.19 series, 256 MiB
// with 32 heads of 128 on a GPU, 128 with 16, 64 with 8.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

constexpr std::int64_t kUsualLargest = 512;
constexpr std::int64_t kHalf = 2;           ///< bytes of a 16-bit value
constexpr std::int64_t kFineBatches = 256;  ///< every eighth up to here, every sixteenth beyond
/// Families whose images attend to each other both ways: another kernel, without splits.
constexpr auto kPrefixFamilies = std::to_array<std::string_view>({"gemma3", "gemma4", "paligemma"});

/// Tokens that a sequence brings into a step which takes as many of each: one, and what is drafted.
std::int64_t tokens_of_sequence(const Plan& plan) {
  return plan.facts.expected("graphsOfDrafts") > 0 ? 1 + plan.cache.draft_tokens : 1;
}

std::int64_t largest_batch(const Plan& plan) {
  if (plan.largest_graph > 0) return plan.largest_graph;
  if (!plan.graph_batches.empty()) return plan.graph_batches.back();
  const auto stated = static_cast<std::int64_t>(plan.facts.expected("largestGraph"));
  const std::int64_t tokens = tokens_of_sequence(plan);
  std::int64_t most = stated > 0 ? stated : kUsualLargest;
  if (plan.facts.expected("graphsOfWidestDrafts") > 0)
    most = std::max(most, std::min(plan.max_num_seqs, most) * tokens);
  if (plan.facts.expected("graphsOfAnyBatch") > 0)
    return std::min(most, plan.max_num_batched_tokens);
  return std::min({2 * plan.max_num_seqs * tokens, most, plan.max_num_batched_tokens});
}

/// How many batches up to `largest` are captured.
std::int64_t captures(const Plan& plan, std::int64_t largest) {
  const std::vector<std::int64_t>& stated = plan.graph_batches;
  if (!stated.empty()) return std::ranges::upper_bound(stated, largest) - stated.begin();
  std::int64_t count = 0;
  for (const std::int64_t small : {1, 2, 4}) count += small <= largest ? 1 : 0;
  count += std::min(largest, kFineBatches) / 8;
  if (largest > kFineBatches) count += (largest - kFineBatches) / 16;
  return count;
}

/// Of all captures together.
std::int64_t captured_rows(const Plan& plan, std::int64_t largest) {
  const std::vector<std::int64_t>& stated = plan.graph_batches;
  if (!stated.empty()) return std::accumulate(stated.begin(), stated.end(), std::int64_t{0});
  std::int64_t rows = 0;
  for (const std::int64_t small : {1, 2, 4}) rows += small <= largest ? small : 0;
  for (std::int64_t batch = 8; batch <= largest; batch += batch < kFineBatches ? 8 : 16)
    rows += batch;
  return rows;
}

double captured_logits(const Situation& situation, std::int64_t largest) {
  return situation.stage.has_head ? static_cast<double>(captured_rows(*situation.plan, largest)) *
                                        static_cast<double>(situation.plan->model->vocabulary)
                                  : 0;
}

/// Of the stage, and of a draft model beside it.
std::int64_t captured_layers(const Situation& situation) {
  const domain::Model* draft = situation.plan->draft.model;
  const bool has_draft = draft != nullptr && situation.stage.has_head;
  return situation.stage.layers + (has_draft ? layer_count(*draft) : 0);
}

std::int64_t expert_layers(const Situation& situation) {
  std::int64_t count = 0;
  each_run(*situation.plan->model, situation.stage,
           [&](const domain::Layer& layer, std::int64_t layers) {
             if (layer.feed_forward.experts) count += layers;
           });
  return count;
}

/// Values of one token's attention on this rank, in the widest layer; 0 where no kernel splits.
double split_values(const Situation& situation) {
  const Plan& plan = *situation.plan;
  // Kernels that split take 16-bit values only.
  const bool is_prefix = std::ranges::any_of(kPrefixFamilies, [&](std::string_view family) {
    return plan.model->family.starts_with(family);
  });
  if (plan.weights.dtype_bytes != kHalf || is_prefix) return 0;
  double widest = 0;
  each_run(*plan.model, situation.stage, [&](const domain::Layer& layer, std::int64_t) {
    const domain::Attention& attention = layer.attention;
    if (attention.has_sinks || layer.recurrent) return;
    const auto heads = static_cast<double>(attention.heads);
    const auto width = static_cast<double>(attention.latent ? attention.latent->kv_rank
                                                            : attention.value_head_dim);
    widest = std::max(widest, heads * width / static_cast<double>(plan.parallelism.tensor));
  });
  return widest;
}

double split_bytes(const Situation& situation, std::int64_t largest) {
  constexpr double kBytes = 4;
  return situation.plan->facts.expected("splitsOfGraphs") * static_cast<double>(largest) *
         split_values(situation) * kBytes;
}

/// Of what a layer's capture takes without adapters.
Spread capture_ratio(const Situation& situation) {
  const Plan& plan = *situation.plan;
  if (plan.adapters.count == 0) return certain(1);
  return plan.facts.value("adapterLaunches") +
         certain(1 + plan.facts.expected("graphsWithoutAdapters"));
}

/// What the widest dense layer of the stage holds for the largest batch.
double widest_bytes(const Situation& situation, std::int64_t largest) {
  const Plan& plan = *situation.plan;
  double widest = 0;
  each_run(*plan.model, situation.stage, [&](const domain::Layer& layer, std::int64_t) {
    const double width = static_cast<double>(layer.feed_forward.width) /
                         static_cast<double>(plan.parallelism.tensor);
    widest = std::max(widest, (layer.feed_forward.gated ? 3 : 2) * width);
  });
  return widest * static_cast<double>(largest * plan.weights.dtype_bytes);
}

/// Of batches in which every sequence decodes, which are captured with their attention: by
/// FlashInfer's wrappers only where it decodes one token (vLLM v1/attention/backends/flashinfer.py,
/// AttentionCGSupport.UNIFORM_SINGLE_TOKEN_DECODE).
std::int64_t captured_decodes(const Plan& plan, std::int64_t largest) {
  if (tokens_of_sequence(plan) > 1) return 0;
  return captures(plan, std::min(largest, plan.max_num_seqs));
}

/// What is captured of proposing tokens, apart from the layers that do it.
Spread draft_graphs(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const bool has_draft = plan.draft.model != nullptr && situation.stage.has_head;
  return has_draft ? plan.facts.value("draftGraphs") : Spread{};
}

/// Of FlashInfer: around each batch of decodes that is captured whole, and what they share.
bool has_wrappers(const Plan& plan) { return plan.facts.value("attentionWorkspace").high > 0; }

}  // namespace

bool graphs_are_captured(const Situation& situation) { return !situation.plan->enforce_eager; }

Spread graphs_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const std::int64_t largest = largest_batch(plan);
  const auto count = static_cast<double>(captures(plan, largest));
  const auto layers = static_cast<double>(captured_layers(situation));
  const auto experts = static_cast<double>(expert_layers(situation));
  // Activations of 32 bits take twice what those of 16 do.
  const double share = static_cast<double>(largest * plan.weights.dtype_bytes) /
                       static_cast<double>(kUsualLargest * kHalf);
  IndependentSum sum;
  sum.add(to_range(plan.facts.value("graphBase")));
  sum.add(to_range(scaled(plan.facts.value("graphPerLayerCapture"), capture_ratio(situation)) *
                   (layers * count)));
  sum.add(to_range(plan.facts.value("graphPerExpertsCapture") * (experts * count)));
  sum.add(to_range(plan.facts.value("graphLargestCapture") * share));
  sum.add(to_range(plan.facts.value("graphActivations") * widest_bytes(situation, largest)));
  sum.add(to_range(certain(split_bytes(situation, largest))));
  if (has_wrappers(plan)) {
    sum.add(to_range(plan.facts.value("attentionWorkspace")));
    sum.add(to_range(plan.facts.value("attentionPerDecode") *
                     static_cast<double>(captured_decodes(plan, largest))));
  }
  sum.add(to_range(draft_graphs(situation)));
  if (plan.facts.expected("graphLogits") > 0)
    sum.add(to_range(plan.facts.value("graphLogits") * captured_logits(situation, largest)));
  const Spread captured = to_spread(sum.range());
  // What a captured kernel takes of the GPU is the driver's choice, too.
  return plan.facts.find("graphsByDriver") == nullptr
             ? captured
             : scaled(plan.facts.value("graphsByDriver"), captured);
}

void describe_graphs(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const std::int64_t largest = largest_batch(plan);
  term.formula = "base + layers x captures x perLayerCapture + largestBatch / 512 x largestCapture";
  term.inputs = {
      {"base", plan.facts.expected("graphBase")},
      {"layers", captured_layers(situation)},
      {"captures", captures(plan, largest)},
      {"perLayerCapture", plan.facts.expected("graphPerLayerCapture")},
      {"largestBatch", largest},
      {"largestCapture", plan.facts.expected("graphLargestCapture")},
  };
  if (plan.adapters.count > 0) {
    term.formula =
        "base + layers x captures x perLayerCapture x (1 + adapterLaunches + "
        "graphsWithoutAdapters) "
        "+ largestBatch / 512 x largestCapture";
    term.inputs.push_back({"adapterLaunches", plan.facts.expected("adapterLaunches")});
    term.inputs.push_back({"graphsWithoutAdapters", plan.facts.expected("graphsWithoutAdapters")});
  }
  if (const std::int64_t experts = expert_layers(situation); experts > 0) {
    term.formula += " + expertLayers x captures x perExpertsCapture";
    term.inputs.push_back({"expertLayers", experts});
    term.inputs.push_back({"perExpertsCapture", plan.facts.expected("graphPerExpertsCapture")});
  }
  if (const double widest = widest_bytes(situation, largest);
      widest > 0 && plan.facts.expected("graphActivations") > 0) {
    term.formula += " + graphActivations x widest";
    term.inputs.push_back({"graphActivations", plan.facts.expected("graphActivations")});
    term.inputs.push_back({"widest", static_cast<std::int64_t>(widest)});
  }
  if (const double splits = split_bytes(situation, largest); splits > 0) {
    term.formula += " + splits";
    term.inputs.push_back({"splits", static_cast<std::int64_t>(splits)});
  }
  if (const double bytes = plan.facts.expected("graphLogits"); bytes > 0) {
    term.formula += " + capturedRows x vocabulary x graphLogits";
    term.inputs.push_back({"capturedRows", captured_rows(plan, largest)});
    term.inputs.push_back({"vocabulary", plan.model->vocabulary});
    term.inputs.push_back({"graphLogits", bytes});
  }
  if (has_wrappers(plan)) {
    const double workspace = plan.facts.expected("attentionWorkspace");
    term.formula += " + attentionWorkspace + decodes x attentionPerDecode";
    const auto per_decode = static_cast<std::int64_t>(plan.facts.expected("attentionPerDecode"));
    term.inputs.push_back({"attentionWorkspace", static_cast<std::int64_t>(workspace)});
    term.inputs.push_back({"decodes", captured_decodes(plan, largest)});
    term.inputs.push_back({"attentionPerDecode", per_decode});
  }
  if (const double drafts = draft_graphs(situation).expected; drafts > 0) {
    term.formula += " + draftGraphs";
    term.inputs.push_back({"draftGraphs", static_cast<std::int64_t>(drafts)});
  }
  // vLLM's versions and runners differ in this; other engines do not profile themselves so.
  if (plan.facts.find("graphsProfiled") != nullptr)
    term.inputs.push_back({"takenOffThePool",
                           std::string(plan.facts.expected("graphsProfiled") != 0 ? "yes" : "no")});
  term.source = plan.facts.source("graphPerLayerCapture");
  if (has_wrappers(plan)) term.source += "; " + plan.facts.source("attentionWorkspace");
}

}  // namespace gpushape::estimate::terms
