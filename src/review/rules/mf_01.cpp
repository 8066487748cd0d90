// MF-01: the ranks of an engine and the GPUs of its pods are the same number. vLLM: "Tensor
// parallel size (2) cannot be larger than the number of available GPUs (1)"
// (https://github.com/ai-dynamo/dynamo/issues/4934,
// https://github.com/vllm-project/vllm/issues/26028).
#include <fmt/format.h>

#include <cmath>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

std::string layout_text(const Ranks& ranks) {
  std::string text;
  const auto add = [&text](std::string_view name, std::int64_t size) {
    if (size > 1) text += fmt::format("{}{} parallel {}", text.empty() ? "" : " x ", name, size);
  };
  add("tensor", ranks.tensor);
  add("pipeline", ranks.pipeline);
  add("data", ranks.data);
  return text.empty() ? "one rank" : text;
}

/// A group that Ray or several machines form may take GPUs that this pod does not show.
bool is_part_of_group(const PodRequest& pod, const EngineCall& call) {
  const EngineSetting* backend = call.find("distributedBackend");
  if (backend != nullptr && backend->value == "ray") return true;
  if (pod.root != nullptr && pod.root->find("raySpec") != nullptr) return true;
  return !pod.part.empty() && pod.pods_per_replica == 1 && pod.kind != "LLMInferenceService";
}

}  // namespace

void mf_01(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container& container,
                              const EngineCall& call) {
    if (call.engine == "llama.cpp") return;
    const auto ranks = ranks_of(call);
    const auto gpus = counted_gpus(pod, &container);
    if (!ranks || !gpus || *gpus < 1 || std::floor(*gpus) != *gpus) return;
    const std::int64_t pods = pods_of_instance(pod, *ranks);
    const bool has_local = call.find("dataLocal") != nullptr;
    const double there = *gpus * static_cast<double>(has_local ? 1 : pods);
    const auto wanted = static_cast<double>(ranks->total());
    if (wanted == there || (wanted > there && is_part_of_group(pod, call))) return;
    const document::Position place = ranks->place != nullptr ? ranks->place->position
                                     : pod.gpus.front().node != nullptr
                                         ? pod.gpus.front().node->position()
                                         : pod.place().position();
    const std::string across = pods > 1 && !has_local ? fmt::format(" in {} pods", pods) : "";
    if (wanted > there) {
      report.add(
          *pod.document, place,
          {.message =
               fmt::format("{} starts {} with {}, {:g} GPUs, and asks for {:g}{}", pod.title(),
                           call.engine, layout_text(*ranks), wanted, there, across),
           .fix = fmt::format("ask for {:g} GPUs, or split the engine over {:g}", wanted, there)});
      return;
    }
    report.add(*pod.document, place,
               {.message = fmt::format("{} asks for {:g} GPUs{} and starts {} with {}: {:g} idle",
                                       pod.title(), there, across, call.engine, layout_text(*ranks),
                                       there - wanted),
                .fix = fmt::format("ask for {:g} GPU{}, or split the engine over {:g}", wanted,
                                   wanted == 1 ? "" : "s", there),
                .severity = domain::Severity::Warning});
  });
}

}  // namespace gpushape::review::rules_of
