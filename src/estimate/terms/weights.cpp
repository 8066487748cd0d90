// Weights as loaded: the tensors of this rank, as the engine fuses and quantizes them, plus one
// table of rotary angles per stage, counted in the blocks of the framework's allocator, or in the
// segments that it cuts them from where the engine reads free memory.
#include <algorithm>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

/// What of the layers lies in host memory; embedding and head stay. Source: vLLM
/// model_executor/models/utils.py, maybe_offload_to_cpu.
Bytes offloaded(const Situation& situation) {
  if (situation.plan->offloaded <= Bytes(0)) return {};
  Stage layers = situation.stage;
  layers.layers = 0;
  layers.first_layer = 0;
  const LoadedWeights outer = load_weights(*situation.plan->model, situation.plan->weights, layers);
  return std::min(situation.plan->offloaded, situation.weights.tensors - outer.tensors);
}

Bytes held_bytes(const Situation& situation) {
  const bool is_reserved = situation.plan->facts.expected("weightsAsReserved") != 0;
  return is_reserved ? situation.weights.reserved : situation.weights.allocated;
}

}  // namespace

Spread weights_bytes(const Situation& situation) {
  const auto bytes = static_cast<double>(held_bytes(situation).count());
  const Spread ratio = situation.plan->facts.value("weightsRatio");
  return ratio * (bytes - static_cast<double>(offloaded(situation).count()));
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
  if (const Bytes away = offloaded(situation); away > Bytes(0)) {
    term.formula += " - offloadedBytes";
    term.inputs.push_back({"offloadedBytes", away.count()});
  }
  term.source = situation.plan->facts.source("weightsRatio");
}

}  // namespace gpushape::estimate::terms
