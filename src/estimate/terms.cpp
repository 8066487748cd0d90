#include "estimate/terms.hpp"

namespace gpushape::estimate {

Situation situation_of(const Plan& plan, const Stage& stage) {
  return {.plan = &plan,
          .stage = stage,
          .weights = load_weights(*plan.model, plan.weights, stage),
          .cache = lay_out_cache(*plan.model, stage, plan.cache)};
}

}  // namespace gpushape::estimate
