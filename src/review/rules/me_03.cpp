// ME-03: the context is one that the model has. vLLM: "User-specified max_model_len is greater than
// the derived max_model_len" (vllm/config/model.py).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool stretches_rope(const EngineCall& call) {
  return std::ranges::any_of(call.settings, [](const EngineSetting& row) {
    return row.flag.contains("rope") || row.flag.contains("hf-overrides") ||
           row.flag.contains("hf_overrides") || row.flag.contains("model-override");
  });
}

}  // namespace

void me_03(const Deployment& deployment, Report& report) {
  if (!deployment.sizings) return;
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto context = tokens_of(call, "contextTokens");
    if (!context || stretches_rope(call)) return;
    const Sizing& sizing = deployment.sizing(pod);
    const std::int64_t most = sizing.model ? sizing.model->max_context_tokens : 0;
    if (most <= 0 || *context <= most) return;
    const bool refuses = call.engine == "vllm" || call.engine == "sglang";
    report.add(*pod.document, call.find("contextTokens")->value_position,
               {.message = fmt::format("{} asks for {} tokens of context, and {} has {}",
                                       pod.title(), *context, sizing.model->id, most),
                .fix = fmt::format("set it to {} or less", most),
                .severity = refuses ? domain::Severity::Error : domain::Severity::Warning});
  });
}

}  // namespace gpushape::review::rules_of
