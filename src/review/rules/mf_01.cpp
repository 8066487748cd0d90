// MF-01: the ranks of an engine and the GPUs of its pods are the same number. vLLM: "Tensor
// parallel size (2) cannot be larger than the number of available GPUs (1)"
// (https://github.com/ai-dynamo/dynamo/issues/4934,
// https://github.com/vllm-project/vllm/issues/26028).
#include <fmt/format.h>

#include <algorithm>
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

/// One pod that starts vLLM and nothing else: Ray then has the GPUs of this container.
bool is_alone_with_ray(const PodRequest& pod, const Container& container) {
  return pod.kind == "Deployment" && pod.replicas <= 1 && container.commands.size() == 1 &&
         container.variable("RAY_ADDRESS") == nullptr && pod.containers.size() == 1;
}

/// A group that Ray or several machines form may take GPUs that this pod does not show.
bool is_part_of_group(const PodRequest& pod, const Container& container, const EngineCall& call) {
  if (pod.has_whole_group) return false;
  const EngineSetting* backend = call.find("distributedBackend");
  if (backend != nullptr && backend->value == "ray") return !is_alone_with_ray(pod, container);
  if (pod.root != nullptr && pod.root->find("raySpec") != nullptr) return true;
  return !pod.part.empty() && pod.pods_per_replica == 1 && pod.kind != "LLMInferenceService";
}

/// vLLM-Omni gives each stage of a model GPUs of its own, by a configuration of the model.
bool has_stages_of_its_own(const EngineCall& call) {
  return std::ranges::any_of(call.settings,
                             [](const EngineSetting& row) { return row.flag == "--omni"; });
}

/// CUDA_VISIBLE_DEVICES hides GPUs that the pod has.
void check_visible(const PodRequest& pod, const Container& container, const EngineCall& call,
                   const Ranks& ranks, Report& report) {
  const EnvironmentVariable* variable = container.variable("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr || variable->node == nullptr || variable->is_reference) return;
  const std::string& text = variable->value;
  if (text.empty() || text.find_first_of("$({") != std::string::npos || text == "all") return;
  const std::int64_t visible = std::ranges::count(text, ',') + 1;
  const std::int64_t here = ranks.total() / pods_of_instance(pod, ranks);
  if (here <= visible || is_part_of_group(pod, container, call)) return;
  report.add(*pod.document, *variable->node,
             {.message = fmt::format("{} starts {} with {}, {} GPUs, and CUDA_VISIBLE_DEVICES "
                                     "shows it {}",
                                     pod.title(), call.engine, layout_text(ranks), here, visible),
              .fix = "remove CUDA_VISIBLE_DEVICES: the container sees the GPUs that it was given"});
}

}  // namespace

void mf_01(const Deployment& deployment, Report& report) {
  each_engine(deployment, [&](const PodRequest& pod, const Container& container,
                              const EngineCall& call) {
    if (call.runs_llama_cpp()) return;
    if (has_stages_of_its_own(call)) return;
    const auto ranks = ranks_of(call);
    if (ranks) check_visible(pod, container, call, *ranks, report);
    const auto gpus = counted_gpus(pod, &container);
    if (!ranks || !gpus || *gpus < 1 || std::floor(*gpus) != *gpus) return;
    const std::int64_t pods = pods_of_instance(pod, *ranks);
    const bool has_local = call.find("dataLocal") != nullptr;
    const double there = *gpus * static_cast<double>(has_local ? 1 : pods);
    const auto wanted = static_cast<double>(ranks->total());
    if (wanted == there || (wanted > there && is_part_of_group(pod, container, call))) {
      return;
    }
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
