#include "catalog/families/dspark.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "catalog/families/readers.hpp"

namespace gpushape::catalog {
namespace {

constexpr document::IntegerBounds kSeenLayer{.least = 0, .most = kLayers.most};
constexpr document::IntegerBounds kMarkovRank{.least = 1, .most = 1'000'000};

}  // namespace

std::optional<domain::MultiTokenPrediction> read_dspark(const ConfigParts& parts,
                                                        domain::Layer layer) {
  const std::vector<std::int64_t> seen = parts.integers("dspark_target_layer_ids", kSeenLayer);
  if (seen.empty()) return std::nullopt;
  domain::Experts& experts = *layer.feed_forward.experts;
  experts.count = parts.size_or({"dspark_n_routed_experts"}, "", kExperts, experts.count);
  experts.active = parts.size_or({"dspark_num_experts_per_tok"}, "", kExperts, experts.active);
  const std::int64_t hidden = parts.model().hidden_size;
  const std::int64_t rank = parts.size({"dspark_markov_rank"}, "", kMarkovRank);
  const auto stages = static_cast<std::int64_t>(seen.size());
  domain::MultiTokenPrediction prediction;
  prediction.layers.push_back({std::move(layer), stages});
  prediction.extra = {
      {.name = "main_proj", .rows = hidden, .columns = stages * hidden, .is_linear = true},
      {.name = "main_norm", .rows = hidden},
      {.name = "norm", .rows = hidden},
      {.name = "markov_head.markov_w1", .rows = parts.model().vocabulary, .columns = rank},
      {.name = "markov_head.markov_w2", .rows = parts.model().vocabulary, .columns = rank},
      {.name = "confidence_head.proj", .rows = 1, .columns = hidden + rank}};
  return prediction;
}

}  // namespace gpushape::catalog
