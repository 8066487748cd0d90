#include "estimate/terms.hpp"

namespace gpushape::estimate {

Situation situation_of(const Plan& plan, const Stage& stage) {
  return situation_of(plan, stage, load_weights(*plan.model, plan.weights, stage));
}

Situation situation_of(const Plan& plan, const Stage& stage, const LoadedWeights& weights) {
  return {.plan = &plan,
          .stage = stage,
          .weights = weights,
          .cache = lay_out_cache(*plan.model, stage, plan.cache, plan.draft.model)};
}

}  // namespace gpushape::estimate
