// What a training run counts of one stage's layers: it follows from model, layout and stage, so
// that it is counted once for all sequences and GPUs.
#pragma once

#include <vector>

#include "estimate/spread.hpp"

namespace gpushape::estimate {

struct Plan;
struct Stage;
struct Situation;

namespace training {

/// On one GPU, before ZeRO deals them out.
struct CountedValues {
  double base = 0;     ///< weights of the base model
  double trained = 0;  ///< weights that are trained
  double layer = 0;    ///< of the largest layer
  double linear = 0;   ///< of the largest linear layer
  double edges = 0;    ///< rows and columns of all matrices
  /// Of each run of layers: the values of one token that go into adapters and come out of their
  /// narrow halves.
  std::vector<double> adapter_inputs;
};
CountedValues count_values(const Plan& plan, const Stage& stage);

/// Bytes of one token, where activations grow with the tokens alone.
struct PerToken {
  Spread kept;   ///< by all layers of the stage
  Spread layer;  ///< of the widest layer while it is computed again
};
PerToken per_token(const Situation& situation);

}  // namespace training
}  // namespace gpushape::estimate
