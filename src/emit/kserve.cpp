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
  Node spec = map({{"model", map({{"uri", "hf://" + model}, {"name", model}})},
                   {"replicas", serving.replicas},
                   {"parallelism", parallelism(serving.picked.shape.parallelism)},
                   {"template", spec_of_pod}});
  if (serving.picked.shape.nodes > 1) {
    spec.set("worker", comment.above(std::move(spec_of_pod),
                                     fmt::format("with it an instance is a group of {} pods, one a "
                                                 "pipeline stage",
                                                 serving.picked.shape.nodes)));
  }
  spec.set("router", map({{"route", Node::mapping()},
                          {"gateway", Node::mapping()},
                          {"scheduler", Node::mapping()}}));
  return map(
      {{"apiVersion", comment.above(Node("serving.kserve.io/v1alpha2"), headline(serving.picked))},
       {"kind", "LLMInferenceService"},
       {"metadata", metadata(serving.request, serving.name, serving.picked)},
       {"spec", std::move(spec)}});
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

namespace {

/// KServe makes a group of as many pods as there are pipeline stages.
Diagnostics refuse_layout(const Serving& serving, bool has_preset) {
  const domain::Shape& shape = serving.picked.shape;
  if (shape.nodes < 2 || (has_preset && shape.parallelism.pipeline == shape.nodes)) return {};
  return {complaint(
      has_preset ? fmt::format("kserve cannot express tensor {} x pipeline {} on {} nodes: a node "
                               "is a pipeline stage there",
                               shape.parallelism.tensor, shape.parallelism.pipeline, shape.nodes)
                 : fmt::format("kserve cannot express {} on {} nodes: only its preset for vLLM "
                               "starts groups of pods",
                               serving.start.engine, shape.nodes),
      "`-o leader-worker-set` can")};
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
  if (Diagnostics faults = refuse_layout(*serving, has_preset); !faults.empty())
    return failure(std::move(faults));
  if (has_preset) return emitted_of(*serving, {language_service(*serving)});
  std::vector<Node> documents = documents_beside(*serving);
  documents.push_back(inference_service(*serving));
  return emitted_of(*serving, std::move(documents));
}

}  // namespace gpushape::emit
