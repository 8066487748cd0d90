// Which of vLLM's two model runners a model gets when nobody says (VLLM_USE_V2_MODEL_RUNNER): the
// second profiles itself with another sampler, and for a while without its graphs.
#pragma once

#include "domain/conditions.hpp"
#include "domain/engine.hpp"
#include "estimate/plan.hpp"

namespace gpushape::estimate::engines {

/// Source: vLLM config/vllm.py, use_v2_model_runner and _is_default_v2_model_runner_model.
bool takes_second_runner(const Request& request, domain::EngineVersion version,
                         const Conditions& conditions);

}  // namespace gpushape::estimate::engines
