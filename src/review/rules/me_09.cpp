// ME-09: the attention heads divide by the tensor parallel size. vLLM: "Total number of attention
// heads must be divisible by tensor parallel size" (vllm/config/model.py,
// verify_with_parallel_config).
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void me_09(const Deployment& deployment, Report& report) {
  if (!deployment.sizings) return;
  each_engine(deployment, [&](const PodRequest& pod, const Container&, const EngineCall& call) {
    const auto tensor = whole_of(call, "tensor");
    if (!tensor || *tensor < 2 || call.runs_llama_cpp()) return;
    // Models are looked up by name even where no estimate came of it.
    const Sizing& sizing = deployment.sizing(pod);
    const std::int64_t heads = sizing.model ? attention_heads_of(*sizing.model) : 0;
    if (heads <= 0 || heads % *tensor == 0) return;
    report.add(
        *pod.document, call.find("tensor")->value_position,
        {.message = fmt::format("{} attention heads of {} do not divide by tensor parallel {}",
                                heads, sizing.model->id, *tensor)});
  });
}

}  // namespace gpushape::review::rules_of
