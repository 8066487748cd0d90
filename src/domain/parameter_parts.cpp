#include "domain/parameter_parts.hpp"

#include <algorithm>

namespace gpushape::domain {
namespace {

void add(std::vector<PartCount>& counts, TensorPart part, std::int64_t values) {
  if (values == 0) return;
  const auto found = std::ranges::find(counts, part, &PartCount::part);
  if (found == counts.end()) {
    counts.push_back({part, values});
  } else {
    found->values += values;
  }
}

}  // namespace

std::vector<PartCount> parameters_by_part(const Model& model) {
  std::vector<PartCount> counts;
  for (const Tensor& tensor : outer_tensors(model)) add(counts, tensor.part, tensor.values());
  for (const LayerRun& run : model.layers) {
    for (const Tensor& tensor : tensors_of(run.layer, model))
      add(counts, tensor.part, run.count * tensor.values());
  }
  for (const Tower& tower : model.towers) {
    if (!tower.is_beside_total) add(counts, TensorPart::Tower, tower.parameters);
  }
  add(counts, TensorPart::MultiToken, count_multi_token_parameters(model));
  std::ranges::sort(counts, {}, &PartCount::part);
  return counts;
}

}  // namespace gpushape::domain
