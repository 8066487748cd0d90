#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

/// Of a plan that was laid out already.
Situation planned_situation(const Plan& plan, const Stage& stage) {
  const ggml::DeviceNeeds& needs = plan.needs_of(stage);
  Situation situation{.plan = &plan, .stage = stage, .weights = {}, .cache = {}, .traffic = {}};
  situation.weights.tensors = Bytes(needs.weights);
  situation.weights.allocated = Bytes(needs.weights);
  situation.cache.kinds = {{.spec = {}, .layers = 1, .token_bytes = needs.token_bytes}};
  return situation;
}

}  // namespace

Situation situation_of(const Plan& plan, const Stage& stage) {
  if (plan.offload) return planned_situation(plan, stage);
  return situation_of(plan, stage, load_weights(*plan.model, plan.weights, stage));
}

Situation situation_of(const Plan& plan, const Stage& stage, const LoadedWeights& weights) {
  if (plan.offload) return planned_situation(plan, stage);
  Situation situation{.plan = &plan,
                      .stage = stage,
                      .weights = weights,
                      .cache = lay_out_cache(*plan.model, stage, plan.cache, plan.draft.model),
                      .traffic = {}};
  situation.traffic = traffic_on(plan, situation.cache);
  return situation;
}

}  // namespace gpushape::estimate
