// ME-12: padding layers are paid for. vLLM cuts the layers of a hybrid model into groups of one
// size that share the pool's blocks; a group that is short gets layers that hold nothing ("Add 8
// padding layers, may waste at most 12.90 % KV cache memory", v1/core/kv_cache_utils.py). A
// pipeline cuts anew on each stage.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "review/noted_contracts.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// Ours: below this nobody would choose another layout for it, in percent.
constexpr double kWorthWord = 5;

/// Integer inputs of the term of the cache, by name.
std::map<std::string_view, std::int64_t> cache_inputs(const domain::Estimate& estimate) {
  std::map<std::string_view, std::int64_t> inputs;
  for (const domain::Term& term : estimate.terms) {
    if (term.name != "kvCache") continue;
    for (const domain::Input& input : term.inputs) {
      if (const auto* value = std::get_if<std::int64_t>(&input.value)) inputs[input.name] = *value;
    }
  }
  return inputs;
}

}  // namespace

void me_12(const Deployment& deployment, Report& report) {
  each_estimated(deployment, [&](const SizedPod& sized) {
    if (sized.call->engine != "vllm") return;
    const auto inputs = cache_inputs(*sized.estimate);
    const auto input = [&](std::string_view name) {
      const auto found = inputs.find(name);
      return found == inputs.end() ? std::int64_t{0} : found->second;
    };
    const std::int64_t layers = input("layers");
    const std::int64_t held = input("groups") * input("layersPerGroup");
    // Of layers without a cache of their own there are more than groups count.
    if (layers <= 0 || held <= layers || input("groups") < 2) return;
    const double waste = 100.0 * static_cast<double>(held - layers) / static_cast<double>(layers);
    if (waste < kWorthWord) return;
    if (noted_contract(*sized.pod)) return;  // a contract of ours has counted it
    const std::int64_t stages = whole_of(*sized.call, "pipeline").value_or(1);
    report.add(
        *sized.pod->document, sized.place(stages > 1 ? "pipeline" : "model"),
        {.message = fmt::format("{} pads the cache of {}: {} groups of {} layers{} hold {} layers, "
                                "{:.1f} % of its memory for nothing",
                                sized.pod->title(), sized.sizing->model->id, input("groups"),
                                input("layersPerGroup"), stages > 1 ? " on a pipeline stage" : "",
                                layers, waste),
         .fix = stages > 1 ? std::optional<std::string>(
                                 "take tensor parallelism instead, or stages of whole groups "
                                 "(VLLM_PP_LAYER_PARTITION)")
                           : std::nullopt});
  });
}

}  // namespace gpushape::review::rules_of
