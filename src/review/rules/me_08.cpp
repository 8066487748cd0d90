// ME-08: tensor parallelism above the KV heads keeps copies of the cache on the ranks beyond (vLLM,
// model loader: num_kv_heads = max(1, total // tensor parallel size)).
#include <fmt/format.h>

#include "review/noted_contracts.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void me_08(const Deployment& deployment, Report& report) {
  each_estimated(deployment, [&](const SizedPod& sized) {
    const std::int64_t tensor = sized.estimate->parallelism.tensor;
    const std::int64_t heads = least_kv_heads(*sized.sizing->model);
    if (heads <= 0 || tensor <= heads || sized.call->runs_llama_cpp()) return;
    // A contract of ours for that layout has counted the copies, and found nothing narrower.
    const auto noted = noted_contract(*sized.pod);
    if (noted && noted->shape.parallelism.tensor == tensor) return;
    report.add(
        *sized.pod->document, sized.place("tensor"),
        {.message = fmt::format("{} spreads {} KV head{} over {} ranks: {} of them keep copies",
                                sized.sizing->model->id, heads, heads == 1 ? "" : "s", tensor,
                                tensor - heads)});
  });
}

}  // namespace gpushape::review::rules_of
