// The target `nim-service`: a NIMService of the NIM Operator with the model-free NIM container,
// which serves any model that vLLM serves and passes its flags on (NVIDIA NIM LLM 2, environment
// variables).

#include <fmt/format.h>

#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

std::string joined_arguments(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Node environment(const Serving& serving) {
  const auto variable = [](std::string_view name, std::string value) {
    return map({{"name", name}, {"value", std::move(value)}});
  };
  return list({variable("NIM_MODEL_PATH", "hf://" + serving.picked.contract.model),
               variable("NIM_PASSTHROUGH_ARGS",
                        joined_arguments(arguments_without(serving.start, {"model"}))),
               hub_token(serving)});
}

Node storage(const Serving& serving) {
  return map(
      {{"pvc", map({{"create", true},
                    {"name", weights_claim_name(serving)},
                    {"size", weights_room(serving)},
                    {"volumeAccessMode", serving.replicas > 1 || serving.picked.shape.nodes > 1
                                             ? "ReadWriteMany"
                                             : "ReadWriteOnce"}})},
       {"sharedMemorySizeLimit", quantity_at_least(serving.picked.contract.shared_memory_bytes)}});
}

Node service(const Serving& serving) {
  const Commenter comment(serving.request);
  const Grant& grant = serving.grant;
  constexpr std::int64_t kPort = 8000;
  constexpr std::int64_t kPeriod = 10;
  Node resources = resources_of(serving);
  std::erase_if(resources.entries(),
                [](const Node::Entry& entry) { return entry.name == "claims"; });
  Node spec =
      map({{"image", comment.above(
                         map({{"repository", "nvcr.io/nim/nvidia/model-free-nim"},
                              {"tag", "2.0.12"},
                              {"pullPolicy", "IfNotPresent"},
                              {"pullSecrets", list(std::vector<std::string>{"ngc-secret"})}}),
                         "one image for every model of vLLM; its tag as the NGC catalog shows it")},
           {"authSecret", "ngc-api-secret"},
           {"storage", storage(serving)},
           {"replicas", serving.replicas},
           {"env", environment(serving)},
           {"resources", std::move(resources)},
           {"startupProbe",
            map({{"enabled", true},
                 {"probe",
                  map({{"httpGet", map({{"path", "/v1/health/ready"}, {"port", kPort}})},
                       {"periodSeconds", kPeriod},
                       {"failureThreshold", (start_seconds(serving) + kPeriod - 1) / kPeriod}})}})},
           {"expose", map({{"service", map({{"type", "ClusterIP"}, {"port", kPort}})}})}});
  const domain::Shape& shape = serving.picked.shape;
  if (shape.nodes > 1) {
    spec.set("multiNode",
             comment.above(map({{"backendType", "lws"},
                                {"parallelism", map({{"tensor", shape.parallelism.tensor},
                                                     {"pipeline", shape.parallelism.pipeline}})},
                                {"ray", map({{"rayPort", 6379}})}}),
                           fmt::format("an instance is a group of {} pods", shape.nodes)));
  }
  if (!grant.claim.empty()) {
    spec.set(
        "draResources",
        list({map({{grant.is_claim_template ? "resourceClaimTemplateName" : "resourceClaimName",
                    grant.claim}})}));
  }
  Node selector = strings(grant.node_selector);
  if (grant.products.size() == 1) selector.set("nvidia.com/gpu.product", grant.products.front());
  set_if(spec, "nodeSelector", std::move(selector));
  return map(
      {{"apiVersion", comment.above(Node("apps.nvidia.com/v1alpha1"), headline(serving.picked))},
       {"kind", "NIMService"},
       {"metadata", metadata(serving.request, serving.name, serving.picked)},
       {"spec", std::move(spec)}});
}

}  // namespace

Result<Emitted> emit_nim_service(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "nim-service");
  if (!serving) return failure(std::move(serving.error()));
  if (serving->start.engine != "vllm" || is_local_model(serving->picked.contract.model)) {
    return failure(
        "nim-service passes flags on to vLLM and loads from the Hugging Face hub; this "
        "is another engine or a local model",
        "`-o deployment` can, or ask for --engine vllm and a model of the hub");
  }
  const domain::Shape& shape = serving->picked.shape;
  if (shape.nodes > 1 && shape.parallelism.pipeline != shape.nodes) {
    return failure(
        fmt::format("nim-service cannot express tensor {} x pipeline {} on {} nodes: its "
                    "operator starts a pod for every pipeline stage",
                    shape.parallelism.tensor, shape.parallelism.pipeline, shape.nodes),
        "`-o leader-worker-set` can");
  }
  Result<Grant> grant = usual_grant(request, serving->picked, "nim-service");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  return emitted_of(*serving, {service(*serving)});
}

}  // namespace gpushape::emit
