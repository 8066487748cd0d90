#include "estimate/engines/vllm_runner.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gpushape::estimate::engines {
namespace {

using domain::EngineVersion;

/// From which version on a class has it: https://github.com/vllm-project/vllm/pull/39337, 42665 and
/// 42667 (not in 0.23); DeepSeek-V4 and DiffusionGemma by "Using V2 Model Runner" in logs of 0.26.0
/// (https://github.com/johnpfeiffer/source.johnpfeiffer.github.io) and of a build on the way to
/// 0.23.
struct RunnerRow {
  std::string_view architecture;
  EngineVersion since;
};
constexpr auto kRunnerRows = std::to_array<RunnerRow>({
    {"Qwen3ForCausalLM", {0, 22, 0}},
    {"LlamaForCausalLM", {0, 23, 0}},
    {"MistralForCausalLM", {0, 23, 0}},
    {"DeepseekV2ForCausalLM", {0, 24, 0}},
    {"Qwen2MoeForCausalLM", {0, 24, 0}},
    {"GraniteMoeForCausalLM", {0, 25, 0}},
    {"DeepseekV4ForCausalLM", {0, 26, 0}},
    {"DiffusionGemmaForBlockDiffusion", {0, 23, 0}},
});
/// Pull requests 44446, 44443 and 53183.
constexpr EngineVersion kFirst{0, 18, 0};  // behind a switch
constexpr EngineVersion kQuantized{0, 24, 0};
constexpr EngineVersion kDense{0, 25, 0};
constexpr EngineVersion kAll{0, 29, 0};

}  // namespace

bool takes_second_runner(const Request& request, EngineVersion version,
                         const Conditions& conditions) {
  const auto& told = request.workload->engine.second_runner;
  if (told && version >= kFirst) return told->value;
  if (version >= kAll) return true;
  if (conditions.is_quantized != 0 && version < kQuantized) return false;
  const domain::Model& model = *request.model;
  const auto row = std::ranges::find(kRunnerRows, model.architecture, &RunnerRow::architecture);
  if (row != kRunnerRows.end() && version >= row->since) return true;
  const bool is_dense = conditions.has_experts == 0 && conditions.has_recurrent == 0;
  return version >= kDense && is_dense && model.has_head;
}

}  // namespace gpushape::estimate::engines
