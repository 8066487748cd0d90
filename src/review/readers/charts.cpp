// Helm values of charts that serve models or offer GPUs: llm-d modelservice, vLLM production-stack,
// vCluster, the GPU Operator, NVIDIA's DRA driver; and the bare arguments of an engine.
//
// Sources: llm-d-incubation/llm-d-modelservice, charts/llm-d-modelservice; vllm-project
// production-stack, helm/templates/deployment-vllm-multi.yaml (which field becomes which flag).
#include <algorithm>
#include <array>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostCopies = 1'000'000;

constexpr auto kVllmConfig = std::to_array<FieldFlag>({
    {"maxModelLen", "--max-model-len"},
    {"dtype", "--dtype"},
    {"tensorParallelSize", "--tensor-parallel-size"},
    {"pipelineParallelSize", "--pipeline-parallel-size"},
    {"maxNumSeqs", "--max-num-seqs"},
    {"gpuMemoryUtilization", "--gpu-memory-utilization"},
    {"enableChunkedPrefill", "--enable-chunked-prefill"},
    {"enablePrefixCaching", "--enable-prefix-caching"},
    {"maxLoras", "--max-loras"},
});

constexpr auto kChartParallelism = std::to_array<FieldFlag>({
    {"tensor", "--tensor-parallel-size"},
    {"data", "--data-parallel-size"},
    {"dataLocal", "--data-parallel-size-local"},
});

void take_copies(const Node& holder, std::string_view field, PodRequest& pod) {
  pod.stated_replicas = integer_at(holder, {field});
  if (pod.stated_replicas) {
    pod.replicas = std::clamp<std::int64_t>(pod.stated_replicas->value, 0, kMostCopies);
  }
}

PodRequest begin_chart_pod(const Object& object, const Node& entry) {
  PodRequest pod;
  pod.document = object.document;
  pod.root = &entry;
  pod.source = PodSource::Chart;
  pod.kind = object.kind;
  return pod;
}

void take_resource(const Node& entry, std::string_view field, std::string_view resource,
                   std::vector<ResourceAmount>& rows) {
  const auto amount = quantity_at(entry, {field});
  if (amount) {
    rows.push_back({std::string(resource), amount->value, amount->node, amount->node->position()});
  }
}

/// The chart mounts /dev/shm where vllmConfig.tensorParallelSize stands, and nowhere else.
void take_stack_memory(const Node& entry, PodRequest& pod) {
  const Node* tensor = at(entry, {"vllmConfig", "tensorParallelSize"});
  if (tensor == nullptr) return;
  add_shared_memory(*tensor, quantity_at(entry, {"shmSize"}), pod);
}

/// `nodeSelectorTerms` becomes a required affinity; one value is as good as a selector.
void take_node_terms(const Node& entry, PodRequest& pod) {
  const Node* terms = entry.find("nodeSelectorTerms");
  if (terms == nullptr) return;
  for (const Node& term : terms->items()) {
    const Node* expressions = term.find("matchExpressions");
    if (expressions == nullptr) continue;
    for (const Node& row : expressions->items()) {
      const Node* key = row.find("key");
      const Node* values = row.find("values");
      if (key == nullptr || values == nullptr || word_at(row, {"operator"}) != "In") continue;
      for (const Node& value : values->items()) {
        pod.node_selector.push_back({word_of(*key), word_of(value), &value, key->position()});
      }
    }
  }
}

void read_stack_model(const Object& object, const Node& engine, const Node& entry,
                      Deployment& deployment) {
  PodRequest pod = begin_chart_pod(object, entry);
  pod.name = word_at(entry, {"name"});
  take_copies(entry, "replicaCount", pod);
  pod.runtime_class = text_at(engine, {"runtimeClassName"});
  pod.annotations = named_texts(entry.find("podAnnotations"));
  pod.tolerations = entry.find("tolerations");
  take_node_terms(entry, pod);
  Container container;
  container.node = &entry;
  container.name = "vllm";
  container.image = text_at(entry, {"repository"});
  const std::string tag = word_at(entry, {"tag"});
  if (container.image && !tag.empty()) container.image->value += ":" + tag;
  container.environment = environment_of(entry.find("env"));
  Command words = begin_command("vllm", entry.find("modelURL"), entry);
  const Node* config = entry.find("vllmConfig");
  add_fields(config, kVllmConfig, words);
  if (const Node* extra = at(config, {"extraArgs"})) {
    for (const Node& each : extra->items()) words.push_back({word_of(each), each.position()});
  }
  container.commands.push_back(std::move(words));
  container.has_command = true;
  container.requests = amounts_of(at(entry, {"resources", "requests"}));
  container.limits = amounts_of(at(entry, {"resources", "limits"}));
  const std::string type = word_at(entry, {"requestGPUType"});
  const std::string gpu = type.empty() ? "nvidia.com/gpu" : type;
  take_resource(entry, "requestCPU", "cpu", container.requests);
  take_resource(entry, "requestMemory", "memory", container.requests);
  take_resource(entry, "requestGPU", gpu, container.requests);
  take_resource(entry, "requestGPU", gpu, container.limits);  // the chart writes both
  take_resource(entry, "requestGPUMem", "nvidia.com/gpumem", container.limits);
  take_resource(entry, "requestGPUMemPercentage", "nvidia.com/gpumem-percentage", container.limits);
  take_resource(entry, "requestGPUCores", "nvidia.com/gpucores", container.limits);
  take_resource(entry, "limitCPU", "cpu", container.limits);
  take_resource(entry, "limitMemory", "memory", container.limits);
  if (const Node* mounts = entry.find("extraVolumeMounts")) {
    for (const Node& each : mounts->items()) {
      container.mounts.push_back({word_at(each, {"name"}), word_at(each, {"mountPath"}), &each});
    }
  }
  pod.containers.push_back(std::move(container));
  if (const Node* volumes = entry.find("extraVolumes")) {
    for (const Node& each : volumes->items()) pod.volumes.push_back(read_volume(each));
  }
  take_stack_memory(entry, pod);
  if (const auto size = quantity_at(entry, {"pvcStorage"})) {
    Volume weights;
    weights.node = size->node;
    weights.name = "weights";
    weights.kind = VolumeKind::PersistentClaim;
    weights.limit_bytes = size;
    pod.volumes.push_back(std::move(weights));
  }
  deployment.pods.push_back(std::move(pod));
}

std::string extended_resource(std::string_view accelerator) {
  if (accelerator == "amd") return "amd.com/gpu";
  if (accelerator == "intel-gaudi") return "habana.ai/gaudi";
  if (accelerator.starts_with("intel"))
    return "gpu.intel.com/" + std::string(accelerator.substr(6));
  return "nvidia.com/gpu";
}

/// Tensor times local data parallel, which the chart asks for where the limits say nothing.
void take_chart_gpus(const Object& object, const Node& part, Container& container) {
  const Node* parallelism = part.find("parallelism");
  const std::string type = word_at(*object.root, {"accelerator", "type"});
  const std::string vendor = type.empty() ? "nvidia" : type;
  std::string resource = word_at(*object.root, {"accelerator", "resources", vendor});
  if (resource.empty()) resource = extended_resource(vendor);
  if (type == "cpu" || container.limit(resource) != nullptr) return;
  if (is_set(*object.root, {"accelerator", "dra"})) return;
  const auto tensor = parallelism == nullptr ? std::nullopt : integer_at(*parallelism, {"tensor"});
  const auto local =
      parallelism == nullptr ? std::nullopt : integer_at(*parallelism, {"dataLocal"});
  const double count =
      static_cast<double>(std::clamp<std::int64_t>(tensor ? tensor->value : 1, 1, 4096)) *
      static_cast<double>(std::clamp<std::int64_t>(local ? local->value : 1, 1, 64));
  const Node* node = tensor ? tensor->node : &part;
  container.limits.push_back({resource, count, node, node->position()});
  container.requests.push_back({resource, count, node, node->position()});
}

void read_chart_part(const Object& object, const Node& part, std::string_view name,
                     Deployment& deployment) {
  const auto create = flag_at(part, {"create"});
  if (create && !create->value) return;
  PodRequest pod = begin_chart_pod(object, part);
  pod.name = word_at(*object.root, {"modelArtifacts", "name"});
  pod.part = name;
  take_copies(part, "replicas", pod);
  pod.object_annotations = named_texts(part.find("annotations"));
  pod.annotations = named_texts(part.find("podAnnotations"));
  if (is_set(*object.root, {"multinode"})) {
    if (const auto workers = integer_at(part, {"parallelism", "workers"})) {
      pod.pods_per_replica = std::clamp<std::int64_t>(workers->value, 1, kMostCopies);
    }
  }
  read_pod_spec(part, pod);
  const Node* model = at(*object.root, {"modelArtifacts", "uri"});
  bool is_first = true;
  for (Container& container : pod.containers) {
    if (container.is_init) continue;
    const std::string command = word_at(*container.node, {"modelCommand"});
    if (!container.has_command && (command == "vllmServe" || command == "imageDefault")) {
      Command words = begin_command("vllm", model, part);
      add_fields(part.find("parallelism"), kChartParallelism, words);
      if (!container.commands.empty()) {
        std::ranges::move(container.commands.front(), std::back_inserter(words));
      }
      container.commands = {std::move(words)};
      container.has_command = true;
    }
    if (std::exchange(is_first, false)) take_chart_gpus(object, part, container);
  }
  deployment.pods.push_back(std::move(pod));
}

}  // namespace

bool is_stack_values(const Node& root) {
  return at(root, {"servingEngineSpec", "modelSpec"}) != nullptr;
}

void read_stack_values(const Object& object, Deployment& deployment) {
  const Node& engine = *object.root->find("servingEngineSpec");
  for (const Node& entry : engine.find("modelSpec")->items()) {
    read_stack_model(object, engine, entry, deployment);
  }
}

bool is_modelservice_values(const Node& root) {
  return root.find("modelArtifacts") != nullptr &&
         (root.find("decode") != nullptr || root.find("prefill") != nullptr);
}

void read_modelservice_values(const Object& object, Deployment& deployment) {
  for (const std::string_view part : {"decode", "prefill"}) {
    const Node* fields = object.root->find(part);
    if (fields != nullptr) read_chart_part(object, *fields, part, deployment);
  }
}

bool is_vcluster_values(const Node& root) {
  return root.find("privateNodes") != nullptr ||
         (root.find("controlPlane") != nullptr && root.find("kind") == nullptr) ||
         at(root, {"sync", "toHost"}) != nullptr || at(root, {"sync", "fromHost"}) != nullptr;
}

void read_vcluster_values(const Object& object, Deployment& deployment) {
  const Node& root = *object.root;
  VirtualClusterValues values;
  values.document = object.document;
  values.root = object.root;
  values.private_nodes = flag_at(root, {"privateNodes", "enabled"});
  values.has_auto_nodes = at(root, {"privateNodes", "autoNodes"}) != nullptr;
  values.syncs_claims = flag_at(root, {"sync", "toHost", "resourceClaims", "enabled"});
  values.has_own_scheduler =
      is_set(root, {"controlPlane", "advanced", "virtualScheduler", "enabled"}) ||
      is_set(root, {"controlPlane", "distro", "k8s", "scheduler", "enabled"});
  values.has_quota = is_set(root, {"policies", "resourceQuota", "enabled"});
  values.has_network_policy = is_set(root, {"policies", "networkPolicy", "enabled"});
  deployment.virtual_clusters.push_back(std::move(values));
}

bool is_operator_values(const Node& root) {
  return root.find("kind") == nullptr && root.find("devicePlugin") != nullptr &&
         (root.find("migManager") != nullptr || root.find("toolkit") != nullptr ||
          root.find("mig") != nullptr);
}

bool is_dra_driver_values(const Node& root) {
  return root.find("kind") == nullptr &&
         (root.find("nvidiaDriverRoot") != nullptr || root.find("gpuResourcesEnabledOverride") ||
          (root.find("featureGates") != nullptr && at(root, {"resources", "gpus"}) != nullptr));
}

void read_dra_driver_values(const Object& object, Deployment& deployment) {
  deployment.dra_drivers.push_back({object.document, object.root,
                                    flag_at(*object.root, {"resources", "gpus", "enabled"}),
                                    named_texts(object.root->find("featureGates"))});
}

bool is_engine_arguments(const Node& root) {
  return root.find("kind") == nullptr && root.find("args") != nullptr &&
         root.find("args")->is(Node::Kind::Sequence);
}

void read_engine_arguments(const Object& object, Deployment& deployment) {
  PodRequest pod = begin_chart_pod(object, *object.root);
  pod.source = PodSource::Script;
  pod.containers.push_back(read_container(*object.document, *object.root));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
