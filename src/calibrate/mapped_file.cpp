#include "calibrate/mapped_file.hpp"

#include <cstdint>
#include <variant>

#include "estimate/ggml/offload.hpp"

namespace gpushape::calibrate {
namespace {

bool is_all_on_gpu(const EngineStart& start, const domain::Model& model) {
  std::int64_t layers = 0;
  for (const domain::LayerRun& run : model.layers) layers += run.count;
  return !start.gpu_layers || *start.gpu_layers > layers;
}

}  // namespace

double file_gib_of(const domain::Estimate& estimate) {
  for (const domain::Term& term : estimate.terms) {
    for (const domain::Input& input : term.inputs) {
      if (input.name != "fileBytes") continue;
      return Bytes(std::get<std::int64_t>(input.value)).gib();
    }
  }
  return 0;
}

domain::Range as_mapped(domain::Range weights, const EngineStart& start, const domain::Model& model,
                        const domain::Estimate& estimate) {
  if (!start.gpu.contains("Apple") || !is_all_on_gpu(start, model)) return weights;
  const double file = file_gib_of(estimate);
  const double tensors = weights.expected.gib();
  if (file <= tensors || tensors <= 0) return weights;
  // Builds that leave LFM2's tied head to the host map what stands behind its embedding.
  if (model.tied_embeddings && estimate::ggml::has_short_convolutions(model)) return weights;
  const double spread = weights.high.gib() / tensors;
  return {.low = weights.low, .expected = gib_of(file), .high = gib_of(file * spread)};
}

}  // namespace gpushape::calibrate
