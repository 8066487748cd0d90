#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

/// Of a plan that was laid out already.
Situation planned_situation(const Plan& plan, const Stage& stage) {
  const ggml::DeviceNeeds& needs = plan.needs_of(stage);
  Situation situation{.plan = &plan,
                      .stage = stage,
                      .weights = {},
                      .recipe = {},
                      .cache = {},
                      .traffic = {},
                      .trainer = {},
                      .per_token = {}};
  situation.weights.tensors = Bytes(needs.weights);
  situation.weights.allocated = Bytes(needs.weights);
  situation.cache.kinds = {{.spec = {}, .layers = 1, .token_bytes = needs.token_bytes}};
  return situation;
}

}  // namespace

CountedStage count_stage(const Plan& plan, const Stage& stage) {
  CountedStage counted{
      .weights = load_weights(*plan.model, plan.weights, stage), .recipe = {}, .trainer = {}};
  if (plan.weights.is_recipe_open)
    counted.recipe = recipe_bounds(*plan.model, plan.weights, stage, counted.weights);
  if (plan.weights.may_keep_scales) {
    WeightsLayout kept = plan.weights;
    kept.unfolds_scales = false;
    const LoadedWeights least = load_weights(*plan.model, kept, stage);
    counted.recipe.less += counted.weights.tensors - least.tensors;
  }
  if (plan.training.is_training) counted.trainer = training::count_values(plan, stage);
  return counted;
}

Situation situation_of(const Plan& plan, const Stage& stage) {
  if (plan.offload) return planned_situation(plan, stage);
  return situation_of(plan, stage, count_stage(plan, stage));
}

Situation situation_of(const Plan& plan, const Stage& stage, const CountedStage& counted) {
  if (plan.offload) return planned_situation(plan, stage);
  Situation situation{.plan = &plan,
                      .stage = stage,
                      .weights = counted.weights,
                      .recipe = counted.recipe,
                      .cache = {},
                      .traffic = {},
                      .trainer = counted.trainer,
                      .per_token = {}};
  if (plan.training.is_training) {
    // Without flash attention the scores grow with the square of the sequence.
    if (plan.training.flash_attention) situation.per_token = training::per_token(situation);
    return situation;
  }
  situation.cache = lay_out_cache(*plan.model, stage, plan.cache, plan.draft.model);
  situation.traffic = traffic_on(plan, situation.cache);
  return situation;
}

}  // namespace gpushape::estimate
