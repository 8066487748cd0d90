// Weights as loaded: the tensors of this rank, as the engine fuses and quantizes them, plus one
// table of rotary angles per stage, counted in the blocks of the framework's allocator.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

Spread weights_bytes(const Situation& situation) {
  const auto bytes = static_cast<double>(situation.weights.allocated.count());
  const Spread ratio = situation.plan->facts.value("weightsRatio");
  return ratio * bytes;
}

void describe_weights(const Situation& situation, domain::Term& term) {
  const LoadedWeights& loaded = situation.weights;
  const WeightsLayout& layout = situation.plan->weights;
  term.formula = "tensorBytes + rotaryBytes + allocatorBytes";
  term.inputs = {
      {"tensorBytes", loaded.tensors.count()},
      {"rotaryBytes", loaded.rotary.count()},
      {"allocatorBytes", (loaded.allocated - loaded.tensors - loaded.rotary).count()},
      {"layers", situation.stage.layers},
      {"tensorParallel", layout.tensor_parallel},
      {"weightBits", std::int64_t{layout.scheme.weight_bits}},
      {"dtypeBytes", layout.dtype_bytes},
      {"paddedVocabulary", padded_vocabulary(*situation.plan->model, layout)},
      {"rotaryPositions", situation.plan->model->rope.positions},
  };
  term.source = situation.plan->facts.source("weightsRatio");
}

}  // namespace gpushape::estimate::terms
