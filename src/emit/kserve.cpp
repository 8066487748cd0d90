// The target `kserve`: an LLMInferenceService where vLLM serves a language model, an
// InferenceService with a container of its own for everything else (KServe 0.20, config/crd).

#include <fmt/format.h>

#include "emit/deployments.hpp"
#include "emit/labels.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

constexpr std::string_view kPresetMemoryVolume = "dshm";  // of KServe's own template
constexpr std::int64_t kPresetPort = 8000;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Node parallelism(const domain::Parallelism& layout) {
  Node node = map({{"tensor", layout.tensor}});
  if (layout.pipeline > 1) node.set("pipeline", layout.pipeline);
  if (layout.data > 1) {
    node.set("data", layout.data);
    node.set("dataLocal", layout.data);
  }
  if (layout.expert > 1) node.set("expert", true);
  return node;
}

/// The preset starts vLLM; what it is not told by fields it is told by arguments. Its server may
/// speak TLS, so that the probe asks for an open port only, which opens when the model is loaded.
Node preset_container(const Serving& serving) {
  const Commenter comment(serving.request);
  const std::string further = joined(arguments_without(
      serving.start, {"model", "tensor", "pipeline", "data", "hasExpertParallel"}));
  constexpr std::int64_t kPeriod = 10;
  return map(
      {{"name", "main"},
       {"env", list({map({{"name", "VLLM_ADDITIONAL_ARGS"}, {"value", further}})})},
       {"resources", resources_of(serving)},
       {"startupProbe",
        comment.above(map({{"tcpSocket", map({{"port", kPresetPort}})},
                           {"periodSeconds", kPeriod},
                           {"failureThreshold", (start_seconds(serving) + kPeriod - 1) / kPeriod}}),
                      "the preset's liveness probe would kill a model that is loading")}});
}

Node language_service(const Serving& serving) {
  const Commenter comment(serving.request);
  Node pod = pod_spec(serving, "main");
  Node spec_of_pod = Node::mapping();
  for (const Node::Entry& entry : pod.entries()) {
    if (entry.name == "containers") {
      spec_of_pod.set("containers", list({preset_container(serving)}));
    } else if (entry.name == "volumes") {
      spec_of_pod.set(
          "volumes",
          list({map({{"name", kPresetMemoryVolume},
                     {"emptyDir",
                      map({{"medium", "Memory"},
                           {"sizeLimit",
                            quantity_at_least(serving.picked.contract.shared_memory_bytes)}})}})}));
    } else {
      spec_of_pod.set(entry.name, entry.value);
    }
  }
  const std::string& model = serving.picked.contract.model;
  return map(
      {{"apiVersion", comment.above(Node("serving.kserve.io/v1alpha2"), headline(serving.picked))},
       {"kind", "LLMInferenceService"},
       {"metadata", metadata(serving.request, serving.name, serving.picked)},
       {"spec", map({{"model", map({{"uri", "hf://" + model}, {"name", model}})},
                     {"replicas", serving.replicas},
                     {"parallelism", parallelism(serving.picked.shape.parallelism)},
                     {"template", std::move(spec_of_pod)},
                     {"router", map({{"route", Node::mapping()},
                                     {"gateway", Node::mapping()},
                                     {"scheduler", Node::mapping()}})}})}});
}

Node inference_service(const Serving& serving) {
  const Commenter comment(serving.request);
  Node predictor = map({{"minReplicas", serving.replicas},
                        {"maxReplicas", serving.replicas},
                        {"deploymentStrategy",
                         map({{"type", "RollingUpdate"},
                              {"rollingUpdate", map({{"maxSurge", 0}, {"maxUnavailable", 1}})}})}});
  const Node pod = pod_spec(serving, "kserve-container");
  for (const Node::Entry& entry : pod.entries()) predictor.set(entry.name, entry.value);
  return map(
      {{"apiVersion", comment.above(Node("serving.kserve.io/v1beta1"), headline(serving.picked))},
       {"kind", "InferenceService"},
       {"metadata", metadata(serving.request, serving.name, serving.picked, {},
                             {{"serving.kserve.io/deploymentMode", "RawDeployment"}})},
       {"spec", map({{"predictor", std::move(predictor)}})}});
}

}  // namespace

Result<Emitted> emit_kserve(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "kserve");
  if (!serving) return failure(std::move(serving.error()));
  if (serving->start.engine.empty()) {
    return failure("kserve cannot express a demand without a model", "`-o pod` can");
  }
  Result<Grant> grant = usual_grant(request, serving->picked, "kserve");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  const bool has_preset =
      serving->start.engine == "vllm" && !is_local_model(serving->picked.contract.model);
  if (has_preset) return emitted_of(*serving, {language_service(*serving)});
  return emitted_of(*serving, {weights_volume_claim(*serving), inference_service(*serving)});
}

}  // namespace gpushape::emit
