// Captured CUDA graphs: a part that grows with every layer and every captured batch size, the
// working memory of the largest batch, and kernels that load on the way.
//
//   graphs = base + layers x captures x perLayerCapture + largest / 512 x largestCapture
//
// Batch sizes 1, 2, 4, then every eighth to 256 and every sixteenth to 512, up to twice the
// sequences. Source: vLLM config/vllm.py, _set_cudagraph_sizes.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

constexpr std::int64_t kLargestBatch = 512;
constexpr std::int64_t kFineBatches = 256;  ///< every eighth up to here, every sixteenth beyond

std::int64_t largest_batch(const Plan& plan) {
  return std::min({2 * plan.max_num_seqs, kLargestBatch, plan.max_num_batched_tokens});
}

std::int64_t captures(std::int64_t largest) {
  std::int64_t count = 0;
  for (const std::int64_t small : {1, 2, 4}) count += small <= largest ? 1 : 0;
  count += std::min(largest, kFineBatches) / 8;
  if (largest > kFineBatches) count += (largest - kFineBatches) / 16;
  return count;
}

}  // namespace

bool graphs_are_captured(const Situation& situation) { return !situation.plan->enforce_eager; }

Spread graphs_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const std::int64_t largest = largest_batch(plan);
  const auto nodes = static_cast<double>(situation.stage.layers * captures(largest));
  const double share = static_cast<double>(largest) / static_cast<double>(kLargestBatch);
  return plan.facts.value("graphBase") + plan.facts.value("graphPerLayerCapture") * nodes +
         plan.facts.value("graphLargestCapture") * share;
}

void describe_graphs(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const std::int64_t largest = largest_batch(plan);
  term.formula = "base + layers x captures x perLayerCapture + largestBatch / 512 x largestCapture";
  term.inputs = {
      {"base", plan.facts.expected("graphBase")},
      {"layers", situation.stage.layers},
      {"captures", captures(largest)},
      {"perLayerCapture", plan.facts.expected("graphPerLayerCapture")},
      {"largestBatch", largest},
      {"largestCapture", plan.facts.expected("graphLargestCapture")},
  };
  term.source = plan.facts.source("graphPerLayerCapture");
}

}  // namespace gpushape::estimate::terms
