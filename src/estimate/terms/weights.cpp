// Weights as loaded: the tensors of this rank, as the engine fuses and quantizes them, plus one
// table of rotary angles per stage, counted in the blocks of the framework's allocator, or in the
// segments that it cuts them from where the engine reads free memory.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

namespace {

Bytes held_bytes(const Situation& situation) {
  const bool is_reserved = situation.plan->facts.expected("weightsAsReserved") != 0;
  return is_reserved ? situation.weights.reserved : situation.weights.allocated;
}

}  // namespace

Spread weights_bytes(const Situation& situation) {
  const auto bytes = static_cast<double>(held_bytes(situation).count());
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
      {"allocatorBytes", (held_bytes(situation) - loaded.tensors - loaded.rotary).count()},
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
