#include "estimate/header_bytes.hpp"

#include <algorithm>

#include "domain/modules.hpp"
#include "domain/tensors.hpp"

namespace gpushape::estimate {
namespace {

constexpr std::int64_t kHeaderBitsPerByte = 8;

Bytes bytes_in_header(const domain::Model& model, bool loads_drafts) {
  Bytes sum;
  for (const domain::StoredPart& part : model.stored) {
    // A copy of a tied head is stored, but not loaded.
    const bool is_tied_head =
        part.part == domain::TensorPart::Head && (model.tied_embeddings || !model.has_head);
    const bool is_draft = part.part == domain::TensorPart::MultiToken && !loads_drafts;
    if (!is_tied_head && !is_draft) sum += Bytes(part.bytes);
  }
  return sum;
}

Bytes bytes_of_layers(const domain::Model& model) {
  Bytes sum;
  std::int64_t start = 0;
  for (const domain::LayerRun& run : model.layers) {
    const std::vector<domain::Tensor> tensors = tensors_of(run.layer, model);
    const std::int64_t end = start + run.count;
    for (std::int64_t layer = start; layer < end;) {
      const std::int64_t next = std::min(end, domain::next_change(model, layer, end));
      for (const domain::Tensor& tensor : tensors) {
        sum += Bytes(domain::stored_bytes(tensor, domain::scheme_of(model, tensor, layer))) *
               (next - layer);
      }
      layer = next;
    }
    start = end;
  }
  return sum;
}

Bytes bytes_of_drafts(const domain::Model& model) {
  Bytes sum;
  if (!model.multi_token_prediction) return sum;
  const domain::MultiTokenPrediction& prediction = *model.multi_token_prediction;
  std::int64_t layer = 0;
  for (const domain::LayerRun& run : prediction.layers) {
    for (const domain::Tensor& tensor : tensors_of(run.layer, model)) {
      sum +=
          Bytes(domain::stored_bytes(tensor, multi_token_scheme(model, tensor, layer))) * run.count;
    }
    layer += run.count;
  }
  const std::int64_t value_bytes =
      domain::scheme(model.weights.other).weight_bits / kHeaderBitsPerByte;
  for (const domain::ExtraTensor& extra : prediction.extra)
    sum += Bytes(extra.rows * std::max<std::int64_t>(1, extra.columns) * value_bytes);
  return sum;
}

}  // namespace

Bytes beyond_architecture(const domain::Model& model, bool loads_drafts) {
  if (model.stored.empty()) return {};
  Bytes known = bytes_of_layers(model);
  for (const domain::Tensor& tensor : domain::outer_tensors(model))
    known += Bytes(domain::stored_bytes(tensor, domain::scheme_of(model, tensor)));
  const std::int64_t value_bytes =
      domain::scheme(model.weights.other).weight_bits / kHeaderBitsPerByte;
  for (const domain::Tower& tower : model.towers) known += Bytes(tower.parameters * value_bytes);
  if (loads_drafts) known += bytes_of_drafts(model);
  return bytes_in_header(model, loads_drafts) - known;
}

}  // namespace gpushape::estimate
