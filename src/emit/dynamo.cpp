// The target `dynamo`: a DynamoGraphDeployment with a frontend and workers of the engine that was
// sized (ai-dynamo, deploy/operator/api/v1beta1).

#include <fmt/format.h>

#include <array>

#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

constexpr std::string_view kDynamoRelease = "1.4.0";

struct Backend {
  std::string_view engine;     ///< ours
  std::string_view framework;  ///< Dynamo's
  std::string_view image;
  std::string_view module;  ///< python3 -m …
};
constexpr auto kBackends = std::to_array<Backend>({
    {"vllm", "vllm", "vllm-runtime", "dynamo.vllm"},
    {"sglang", "sglang", "sglang-runtime", "dynamo.sglang"},
});

const Backend* backend_of(const std::string& engine) {
  for (const Backend& backend : kBackends) {
    if (backend.engine == engine) return &backend;
  }
  return nullptr;
}

std::string image_of(const Backend& backend) {
  return fmt::format("nvcr.io/nvidia/ai-dynamo/{}:{}", backend.image, kDynamoRelease);
}

Node frontend(const Backend& backend) {
  const Node main =
      map({{"name", "main"},
           {"image", image_of(backend)},
           {"command", list(std::vector<std::string>{"python3", "-m", "dynamo.frontend"})}});
  return map({{"name", "Frontend"},
              {"type", "frontend"},
              {"replicas", 1},
              {"podTemplate", map({{"spec", map({{"containers", list({main})}})}})}});
}

/// The engine's own container, started by Dynamo's wrapper, which answers health checks itself.
Node worker(const Serving& serving, const Backend& backend) {
  Node pod = pod_spec(serving, "main");
  Node spec = Node::mapping();
  for (const Node::Entry& entry : pod.entries()) {
    if (entry.name != "containers") {
      if (entry.name != "volumes") spec.set(entry.name, entry.value);
      continue;
    }
    Node main = Node::mapping();
    for (const Node::Entry& field : entry.value.items().front().entries()) {
      if (field.name == "image") {
        main.set("image", image_of(backend));
      } else if (field.name == "command") {
        main.set("command",
                 list(std::vector<std::string>{"python3", "-m", std::string(backend.module)}));
      } else if (field.name == "args") {
        std::vector<std::string> words = arguments_without(serving.start, {"model", "anyHost"});
        words.insert(words.begin(), {"--model", serving.picked.contract.model});
        main.set("args", list(words));
      } else if (!field.name.ends_with("Probe") && field.name != "ports" &&
                 field.name != "volumeMounts") {
        main.set(field.name, field.value);
      }
    }
    Node mounts = Node::sequence();
    if (serving.weights > Bytes(0))
      mounts.add(map({{"name", "weights"}, {"mountPath", kModelFolder}}));
    set_if(main, "volumeMounts", std::move(mounts));
    spec.set("containers", list({std::move(main)}));
  }
  if (serving.weights > Bytes(0)) {
    spec.set("volumes", list({map({{"name", "weights"},
                                   {"persistentVolumeClaim",
                                    map({{"claimName", weights_claim_name(serving)}})}})}));
  }
  Node metadata = Node::mapping();
  set_if(metadata, "labels", strings(serving.grant.labels));
  Node pod_template = Node::mapping();
  set_if(pod_template, "metadata", std::move(metadata));
  pod_template.set("spec", std::move(spec));
  Node component = map({{"name", "Worker"}, {"type", "worker"}, {"replicas", serving.replicas}});
  const Commenter comment(serving.request);
  if (const std::int64_t nodes = serving.picked.shape.nodes; nodes > 1) {
    component.set("multinode", comment.behind(map({{"nodeCount", nodes}}).in_flow(),
                                              "one pod on each, of one instance"));
  }
  component.set("sharedMemorySize", quantity_at_least(serving.picked.contract.shared_memory_bytes));
  component.set("podTemplate", std::move(pod_template));
  return component;
}

}  // namespace

Result<Emitted> emit_dynamo(const EmitRequest& request) {
  Result<Serving> serving = serving_of(request, "dynamo");
  if (!serving) return failure(std::move(serving.error()));
  const Backend* backend = backend_of(serving->start.engine);
  if (backend == nullptr || is_local_model(serving->picked.contract.model)) {
    return failure(
        "dynamo starts vLLM and SGLang with models of the Hugging Face hub; this is "
        "another engine or a local model",
        "`-o deployment` can");
  }
  Result<Grant> grant = usual_grant(request, serving->picked, "dynamo");
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  const Commenter comment(request);
  Node root = map(
      {{"apiVersion", comment.above(Node("nvidia.com/v1beta1"), headline(serving->picked))},
       {"kind", "DynamoGraphDeployment"},
       {"metadata", metadata(request, serving->name, serving->picked)},
       {"spec", map({{"backendFramework", backend->framework},
                     {"components", list({frontend(*backend), worker(*serving, *backend)})}})}});
  return emitted_of(*serving, {weights_volume_claim(*serving), std::move(root)});
}

}  // namespace gpushape::emit
