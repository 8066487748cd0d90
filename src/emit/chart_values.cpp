// The targets `llm-d-values` and `vllm-production-stack-values`: Helm values of charts that start
// vLLM themselves (llm-d modelservice 0.4, production-stack 0.1).

#include <fmt/format.h>

#include <algorithm>

#include "emit/serving.hpp"

namespace gpushape::emit {

using document::Node;

namespace {

Result<Serving> vllm_serving(const EmitRequest& request, std::string_view target) {
  Result<Serving> serving = serving_of(request, target);
  if (!serving) return serving;
  if (serving->start.engine != "vllm" || is_local_model(serving->picked.contract.model)) {
    return failure(fmt::format("{}: the chart starts vLLM with a model of the Hugging Face hub; "
                               "this is another engine or a local model",
                               target),
                   "`-o deployment` can");
  }
  if (serving->picked.shape.technology == domain::Technology::SoftwareShare) {
    return failure(fmt::format("{}: the chart counts whole devices", target),
                   "`-o hami` and `-o kai` can");
  }
  // Values know extended resources; a claim beside them is the chart's own business.
  EmitRequest alone = request;
  alone.targets.clear();
  Result<Grant> grant = usual_grant(alone, serving->picked, target);
  if (!grant) return failure(std::move(grant.error()));
  serving->grant = std::move(*grant);
  return serving;
}

/// Values have no metadata: the headline stands in a comment, annotations go to the pods.
Node closed(Node root, const Serving& serving) {
  const Commenter comment(serving.request);
  root.entries().front().value =
      comment.above(std::move(root.entries().front().value), headline(serving.picked));
  return root;
}

/// The chart asks for the resource of the accelerator's type itself; one of another name (a MIG
/// instance) takes that one's place instead of standing beside it.
Node accelerator(const Serving& serving) {
  const std::string& resource = serving.grant.resources.front().key;
  const std::string type = resource.starts_with("amd.com/") ? "amd" : "nvidia";
  Node node = map({{"type", type}});
  if (resource != type + ".com/gpu") node.set("resources", map({{type, resource}}));
  return node;
}

/// Nodes of these labels and products, in the one form that the chart has for them.
Node node_terms(const Grant& grant) {
  Node expressions = Node::sequence();
  const auto demand = [&expressions](std::string_view key, const std::vector<std::string>& values) {
    expressions.add(map({{"key", key}, {"operator", "In"}, {"values", list(values)}}));
  };
  for (const Label& label : grant.node_selector) demand(label.key, {label.value});
  if (!grant.products.empty()) demand("nvidia.com/gpu.product", grant.products);
  if (expressions.items().empty()) return Node::sequence();
  return list({map({{"matchExpressions", std::move(expressions)}})});
}

Node memory_volume(const Serving& serving) {
  return map(
      {{"name", "shm"},
       {"emptyDir",
        map({{"medium", "Memory"},
             {"sizeLimit", quantity_at_least(serving.picked.contract.shared_memory_bytes)}})}});
}

}  // namespace

Result<Emitted> emit_llm_d_values(const EmitRequest& request) {
  Result<Serving> serving = vllm_serving(request, "llm-d-values");
  if (!serving) return failure(std::move(serving.error()));
  const domain::Parallelism& layout = serving->picked.shape.parallelism;
  if (layout.pipeline > 1) {
    return failure(
        "llm-d-values cannot express pipeline stages: the chart knows tensor and data "
        "parallel only",
        "`-o deployment` can");
  }
  const std::string& model = serving->picked.contract.model;
  const Commenter comment(request);
  Node vllm = map({{"name", "vllm"},
                   {"image", serving->start.image},
                   {"modelCommand", "vllmServe"},
                   {"args", list(arguments_without(serving->start, {"model", "tensor", "data"}))},
                   {"resources", resources_of(*serving)},
                   {"startupProbe", probe_of(*serving, 10, (start_seconds(*serving) + 9) / 10)},
                   {"volumeMounts", list({map({{"name", "shm"}, {"mountPath", "/dev/shm"}})})}});
  Node decode = map({{"create", true},
                     {"podAnnotations", annotations_of(request, serving->picked)},
                     {"replicas", serving->replicas},
                     {"parallelism", map({{"tensor", layout.tensor}, {"dataLocal", layout.data}})},
                     {"containers", list({std::move(vllm)})},
                     {"volumes", list({memory_volume(*serving)})}});
  std::vector<Label> selector = serving->grant.node_selector;
  if (serving->grant.products.size() == 1)
    selector.push_back({"nvidia.com/gpu.product", serving->grant.products.front()});
  set_if(decode, "nodeSelector", strings(selector));
  Node root =
      map({{"modelArtifacts",
            map({{"name", model},
                 {"uri", comment.above(Node("hf://" + model),
                                       "a gated model wants its token: authSecretName: NAME of a "
                                       "secret with the key HF_TOKEN")},
                 {"size", weights_room(*serving)}})},
           {"accelerator", accelerator(*serving)},
           {"routing", map({{"servicePort", 8000}})},
           {"decode", std::move(decode)},
           {"prefill", map({{"create", false}})}});
  return emitted_of(*serving, {closed(std::move(root), *serving)});
}

Result<Emitted> emit_production_stack_values(const EmitRequest& request) {
  Result<Serving> serving = vllm_serving(request, "vllm-production-stack-values");
  if (!serving) return failure(std::move(serving.error()));
  const Commenter comment(request);
  const domain::RankedShape& picked = serving->picked;
  const std::string& image = serving->start.image;
  const std::size_t colon = image.rfind(':');
  Node config =
      map({{"tensorParallelSize",
            comment.above(Node(picked.shape.parallelism.tensor),
                          "VC-24: the chart mounts /dev/shm only where this key stands")}});
  if (picked.contract.context_tokens) config.set("maxModelLen", *picked.contract.context_tokens);
  if (picked.max_num_seqs) config.set("maxNumSeqs", *picked.max_num_seqs);
  if (picked.gpu_memory_utilization && !picked.kv_cache_memory_bytes)
    config.set("gpuMemoryUtilization", *picked.gpu_memory_utilization);
  const std::vector<std::string> further =
      picked.max_num_seqs
          ? arguments_without(serving->start,
                              {"model", "contextTokens", "tensor", "utilization", "maxNumSeqs"})
          : arguments_without(serving->start, {"model", "contextTokens", "tensor", "utilization"});
  set_if(config, "extraArgs", list(further));
  Node model =
      map({{"name", serving->name},
           {"repository", image.substr(0, colon)},
           {"tag", image.substr(colon + 1)},
           {"podAnnotations", annotations_of(request, picked)},
           {"modelURL", comment.above(Node(picked.contract.model),
                                      "a gated model wants its token: hf_token: {secretName: NAME, "
                                      "secretKey: KEY}")},
           {"replicaCount", serving->replicas},
           {"requestCPU", serving->cpus},
           {"limitCPU", std::to_string(serving->cpus)},
           {"requestMemory", quantity_at_most(serving->memory)},
           {"limitMemory", quantity_at_most(serving->memory)},
           {"requestGPU", picked.shape.count},
           {"requestGPUType", serving->grant.resources.front().key},
           {"pvcStorage", weights_room(*serving)},
           {"shmSize", quantity_at_least(picked.contract.shared_memory_bytes)},
           {"vllmConfig", std::move(config)}});
  set_if(model, "nodeSelectorTerms", node_terms(serving->grant));
  Node probe = map({{"periodSeconds", 10},
                    {"failureThreshold", (start_seconds(*serving) + 9) / 10},
                    {"httpGet", map({{"path", "/health"}, {"port", 8000}})}});
  Node root =
      map({{"servingEngineSpec",
            map({{"modelSpec", list({std::move(model)})},
                 {"startupProbe",
                  comment.above(std::move(probe), "nothing kills a model that is loading")}})}});
  return emitted_of(*serving, {closed(std::move(root), *serving)});
}

}  // namespace gpushape::emit
