// Serving kinds: KServe, NIM Operator, Dynamo.
//
// Sources: kserve/kserve config/llmisvc (the presets start vllm serve with VLLM_ADDITIONAL_ARGS);
// NVIDIA/k8s-nim-operator api/apps/v1alpha1; ai-dynamo/dynamo deploy/operator/api.
#include "review/readers/serving.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "review/readers/kinds.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostServingReplicas = 1'000'000;

constexpr auto kParallelism = std::to_array<FieldFlag>({
    {"tensor", "--tensor-parallel-size"},
    {"pipeline", "--pipeline-parallel-size"},
    {"data", "--data-parallel-size"},
    {"dataLocal", "--data-parallel-size-local"},
    {"expert", "--enable-expert-parallel"},
});

void take_serving_replicas(const Node& holder, Path path, PodRequest& pod) {
  pod.stated_replicas = integer_at(holder, path);
  if (pod.stated_replicas) {
    pod.replicas = std::clamp<std::int64_t>(pod.stated_replicas->value, 0, kMostServingReplicas);
  }
}

Container* find_container(PodRequest& pod, std::string_view name) {
  const auto found = std::ranges::find(pod.containers, name, &Container::name);
  return found == pod.containers.end() ? nullptr : &*found;
}

/// The container of that name; one without fields where the preset alone makes it.
Container& container_named(PodRequest& pod, std::string_view name, const Node& place) {
  if (Container* found = find_container(pod, name)) return *found;
  Container made;
  made.node = &place;
  made.name = name;
  return pod.containers.emplace_back(std::move(made));
}

/// The container's own words behind those of the fields; a command of its own replaces the
/// preset's.
void put_command(const document::Document& document, Command words, Container& container) {
  if (container.has_command) return;
  if (!container.commands.empty()) {
    std::ranges::move(container.commands.front(), std::back_inserter(words));
  }
  add_environment(document, container, words);
  container.commands = {std::move(words)};
  container.has_command = true;
}

/// Where KServe mounts what spec.model.uri or storageUri names (kserve/kserve pkg/constants).
constexpr std::string_view kMountedModel = "/mnt/models";

/// Its words that name the mounted model, by the name the model came under.
void name_mounted_model(std::string_view name, Container& container) {
  if (name.empty()) return;
  for (Command& command : container.commands) {
    for (Word& word : command) {
      if (word.text == kMountedModel) word.text = name;
      if (word.text.ends_with("=" + std::string(kMountedModel))) {
        word.text.resize(word.text.size() - kMountedModel.size());
        word.text += name;
      }
    }
  }
}

/// "org/model" behind hf://; empty where the address names no model of the hub.
std::string hub_name(const Node* address) {
  if (address == nullptr) return {};
  const std::string text = word_of(*address);
  return text.starts_with("hf://") ? text.substr(5) : std::string();
}

void read_llm_part(const Object& object, const Node& part, const Node* model, std::string name,
                   Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = std::move(name);
  take_serving_replicas(part, {"replicas"}, pod);
  if (const Node* spec = part.find("template")) read_pod_spec(*spec, pod);
  Command words = begin_command("vllm", model, part);
  add_fields(part.find("parallelism"), kParallelism, words);
  Container& main = container_named(pod, "main", model == nullptr ? part : *model);
  if (model != nullptr) {
    const std::string hub = hub_name(model);
    name_mounted_model(hub.empty() ? word_of(*model) : hub, main);
  }
  put_command(*object.document, std::move(words), main);
  // The preset mounts a memory volume at /dev/shm, by the name dshm.
  if (main.mount_at("/dev/shm") == nullptr) {
    const Volume* own = pod.volume("dshm");
    if (own == nullptr) {
      add_shared_memory(part, std::nullopt, pod);
    } else {
      main.mounts.push_back({"dshm", "/dev/shm", own->node});
    }
  }
  deployment.pods.push_back(std::move(pod));
}

/// NVIDIA's `draResources`: claims that the operator makes, in the form of any other claim.
void take_nim_claims(const Object& object, const Node& spec, PodRequest& pod, Container& container,
                     Deployment& deployment) {
  const Node* rows = spec.find("draResources");
  if (rows == nullptr) return;
  std::size_t number = 0;
  for (const Node& row : rows->items()) {
    const std::string name = "dra-" + std::to_string(number++);
    PodClaim use;
    use.node = &row;
    use.name = name;
    use.claim = text_at(row, {"resourceClaimName"});
    use.claim_template = text_at(row, {"resourceClaimTemplateName"});
    if (const Node* devices = at(row, {"claimCreationSpec", "devices"})) {
      Claim claim;
      claim.document = object.document;
      claim.root = object.root;
      claim.is_template = true;
      claim.version = "v1";
      claim.name = object.name + "-" + name;
      claim.name_space = object.name_space;
      for (const Node& device : devices->items()) {
        ClaimRequest request;
        request.node = &device;
        request.exactly = &device;
        request.name = word_at(device, {"name"});
        request.device_class = text_at(device, {"deviceClassName"});
        if (const auto count = integer_at(device, {"count"})) {
          request.count = std::clamp<std::int64_t>(count->value, 0, kMostServingReplicas);
          request.count_node = count->node;
        }
        if (const Node* expressions = device.find("celExpressions")) {
          for (const Node& each : expressions->items()) {
            request.selectors.push_back({word_of(each), &each});
          }
        }
        claim.requests.push_back(std::move(request));
      }
      use.claim_template = Located<std::string>{claim.name, &row};
      deployment.claims.push_back(std::move(claim));
    }
    container.claims.push_back({name, {}, &row});
    pod.claims.push_back(std::move(use));
  }
}

/// How a backend of Dynamo is started where the component does not say it.
std::string_view dynamo_engine(std::string_view backend) {
  if (backend == "sglang") return "sglang";
  if (backend == "trtllm") return "tensorrt-llm";
  return "vllm";
}

void finish_dynamo(const Object& object, std::string_view backend, const Node& component,
                   std::optional<Located<double>> shared, PodRequest pod, Deployment& deployment) {
  const std::string type = word_at(component, {"type"}) + word_at(component, {"componentType"});
  const bool is_engine = type != "frontend" && type != "planner" && type != "epp";
  if (Container* main = find_container(pod, "main"); main != nullptr && is_engine) {
    if (!main->has_command) {
      put_command(*object.document, begin_command(dynamo_engine(backend), nullptr, component),
                  *main);
    }
    if (main->mount_at("/dev/shm") == nullptr) add_shared_memory(component, shared, pod);
  }
  deployment.pods.push_back(std::move(pod));
}

void read_dynamo_component(const Object& object, std::string_view backend, const Node& component,
                           Deployment& deployment) {
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = word_at(component, {"name"});
  take_serving_replicas(component, {"replicas"}, pod);
  if (const auto nodes = integer_at(component, {"multinode", "nodeCount"})) {
    pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostServingReplicas);
  }
  read_pod_template(component.find("podTemplate"), pod);
  finish_dynamo(object, backend, component, quantity_at(component, {"sharedMemorySize"}),
                std::move(pod), deployment);
}

/// v1alpha1: services by name, resources as bare counts, the container in extraPodSpec.
void read_dynamo_service(const Object& object, std::string_view backend, const Node::Entry& entry,
                         Deployment& deployment) {
  const Node& service = entry.value;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = entry.name;
  take_serving_replicas(service, {"replicas"}, pod);
  if (const auto nodes = integer_at(service, {"multinode", "nodeCount"})) {
    pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostServingReplicas);
  }
  const Node* extra = service.find("extraPodSpec");
  if (extra != nullptr) read_pod_spec(*extra, pod);
  const Node* inner = at(extra, {"mainContainer"});
  Container main;
  if (inner != nullptr) main = read_container(*object.document, *inner);
  if (main.node == nullptr) main.node = &service;
  main.name = "main";
  for (const std::string_view list : {"requests", "limits"}) {
    const Node* amounts = at(service, {"resources", list});
    if (amounts == nullptr) continue;
    auto& rows = list == "limits" ? main.limits : main.requests;
    for (ResourceAmount& row : amounts_of(amounts)) {
      if (row.name == "gpu") row.name = "nvidia.com/gpu";
      rows.push_back(std::move(row));
    }
  }
  pod.containers.push_back(std::move(main));
  finish_dynamo(object, backend, service, quantity_at(service, {"sharedMemory", "size"}),
                std::move(pod), deployment);
}

}  // namespace

Command begin_command(std::string_view engine, const Node* model, const Node& place) {
  const Node& start = model == nullptr ? place : *model;
  const auto word = [&start](std::string_view text) {
    return Word{std::string(text), start.position(), true};
  };
  Command words;
  if (engine == "sglang") {
    words = {word("python3"), word("-m"), word("sglang.launch_server")};
  } else if (engine == "tensorrt-llm") {
    words = {word("trtllm-serve")};
  } else if (engine == "huggingfaceserver") {
    words = {word("huggingfaceserver")};
  } else {
    words = {word("vllm"), word("serve")};
  }
  if (model == nullptr) return words;
  std::string name = word_of(*model);
  if (name.starts_with("hf://")) name.erase(0, 5);
  if (engine == "sglang") words.push_back(word("--model-path"));
  words.push_back(word(name));
  return words;
}

void add_fields(const Node* holder, std::span<const FieldFlag> flags, Command& words) {
  if (holder == nullptr) return;
  for (const FieldFlag& row : flags) {
    const Node* value = holder->find(row.field);
    if (value == nullptr || value->is(Node::Kind::Null)) continue;
    if (value->is(Node::Kind::Boolean)) {
      if (value->boolean()) words.push_back(field_word(row.flag, "", *value));
    } else {
      words.push_back(field_word(row.flag, word_of(*value), *value));
    }
  }
}

void add_environment(const document::Document& document, const Container& container,
                     Command& words) {
  for (const std::string_view name : {"VLLM_ADDITIONAL_ARGS", "NIM_PASSTHROUGH_ARGS"}) {
    const EnvironmentVariable* variable = container.variable(name);
    if (variable == nullptr || variable->node == nullptr) continue;
    std::ranges::move(words_of(document, *variable->node), std::back_inserter(words));
  }
}

void add_shared_memory(const Node& place, std::optional<Located<double>> bytes, PodRequest& pod) {
  Volume volume;
  volume.node = bytes ? bytes->node : &place;
  volume.name = "gpushape-shared-memory";
  volume.kind = VolumeKind::EmptyDir;
  volume.is_memory = true;
  volume.limit_bytes = bytes;
  for (Container& container : pod.containers) {
    if (!container.is_init) container.mounts.push_back({volume.name, "/dev/shm", volume.node});
  }
  pod.volumes.push_back(std::move(volume));
}

void read_llm_inference_service(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  // A volume or an image is no name; the model's own may be one.
  const Node* model = at(*spec, {"model", "uri"});
  const Node* name = at(*spec, {"model", "name"});
  if (model == nullptr || (name != nullptr && hub_name(model).empty())) model = name;
  const Node* worker = spec->find("worker");
  read_llm_part(object, *spec, model, worker == nullptr ? "" : "leader", deployment);
  if (const Node* prefill = spec->find("prefill")) {
    read_llm_part(object, *prefill, model, "prefill", deployment);
  }
  if (worker != nullptr) {
    PodRequest pod = begin_pod(*object.document, *object.root);
    pod.part = "worker";
    read_pod_spec(*worker, pod);
    deployment.pods.push_back(std::move(pod));
  }
}

/// "--backend=huggingface" or "--backend huggingface" among the words.
bool has_setting(const Container& container, std::string_view flag, std::string_view value) {
  for (const Command& command : container.commands) {
    for (std::size_t at = 0; at < command.size(); ++at) {
      const std::string& text = command[at].text;
      if (text == std::string(flag) + "=" + std::string(value)) return true;
      if (text == flag && at + 1 < command.size() && command[at + 1].text == value) return true;
    }
  }
  return false;
}

/// KServe's Hugging Face server runs these with transformers, whatever the model
/// (kserve/kserve python/huggingfaceserver/huggingfaceserver/task.py and __main__.py).
bool is_run_by_transformers(const Container& container) {
  constexpr auto kEncoderTasks = std::to_array<std::string_view>(
      {"fill_mask", "token_classification", "sequence_classification", "text2text_generation",
       "time_series_forecast"});
  return has_setting(container, "--backend", "huggingface") ||
         std::ranges::any_of(kEncoderTasks, [&](std::string_view task) {
           return has_setting(container, "--task", task);
         });
}

void read_inference_service(const Object& object, Deployment& deployment) {
  const Node* predictor = at(*object.root, {"spec", "predictor"});
  if (predictor == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  take_serving_replicas(*predictor, {"minReplicas"}, pod);
  read_pod_spec(*predictor, pod);
  if (const Node* model = predictor->find("model")) {
    Container container = read_container(*object.document, *model);
    container.name = "kserve-container";
    const std::string format =
        word_at(*model, {"modelFormat", "name"}) + word_at(*model, {"runtime"});
    const Node* uri = model->find("storageUri");
    name_mounted_model(hub_name(uri), container);
    const Node* named = hub_name(uri).empty() ? nullptr : uri;
    if (format.contains("vllm")) {
      put_command(*object.document, begin_command("vllm", named, *model), container);
    } else if (format.contains("huggingface") && !is_run_by_transformers(container)) {
      put_command(*object.document, begin_command("huggingfaceserver", named, *model), container);
    }
    pod.containers.push_back(std::move(container));
  }
  deployment.pods.push_back(std::move(pod));
}

void read_nim_service(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  take_serving_replicas(*spec, {"replicas"}, pod);
  pod.node_selector = named_texts(spec->find("nodeSelector"));
  pod.tolerations = spec->find("tolerations");
  pod.scheduler = text_at(*spec, {"schedulerName"});
  pod.runtime_class = text_at(*spec, {"runtimeClassName"});
  Container container = read_container(*object.document, *spec);
  container.name = "nim";
  container.image = text_at(*spec, {"image", "repository"});
  if (container.image) {
    const std::string tag = word_at(*spec, {"image", "tag"});
    if (!tag.empty()) container.image->value += ":" + tag;
  }
  for (const auto& [field, probe] :
       {std::pair{"startupProbe", &container.startup}, {"livenessProbe", &container.liveness}}) {
    const Node* own = at(*spec, {field, "probe"});
    if (probe->has_value() && own == nullptr) probe->reset();  // a switch alone: the operator's own
    if (own != nullptr) *probe = Probe{own};
    if (own == nullptr) continue;
    if (const auto value = quantity_at(*own, {"periodSeconds"})) (*probe)->period = value->value;
    if (const auto value = integer_at(*own, {"failureThreshold"}))
      (*probe)->failures = value->value;
    if (const auto value = quantity_at(*own, {"initialDelaySeconds"})) {
      (*probe)->initial_delay = value->value;
    }
  }
  const EnvironmentVariable* path = container.variable("NIM_MODEL_PATH");
  if (path == nullptr) path = container.variable("NIM_MODEL_NAME");
  if (path != nullptr && container.variable("NIM_PASSTHROUGH_ARGS") != nullptr) {
    put_command(*object.document, begin_command("vllm", path->node, *spec), container);
  }
  if (const auto stages = integer_at(*spec, {"multiNode", "parallelism", "pipeline"})) {
    // One pod a pipeline stage.
    pod.pods_per_replica = std::clamp<std::int64_t>(stages->value, 1, kMostServingReplicas);
  }
  take_nim_claims(object, *spec, pod, container, deployment);
  pod.containers.push_back(std::move(container));
  add_shared_memory(*spec, quantity_at(*spec, {"storage", "sharedMemorySizeLimit"}), pod);
  const std::string weights = word_at(*spec, {"storage", "pvc", "name"});
  if (!weights.empty()) {
    Volume volume;
    volume.node = at(*spec, {"storage", "pvc"});
    volume.name = "model-store";
    volume.kind = VolumeKind::PersistentClaim;
    volume.claim = weights;
    volume.limit_bytes = quantity_at(*spec, {"storage", "pvc", "size"});
    pod.volumes.push_back(std::move(volume));
  }
  deployment.pods.push_back(std::move(pod));
}

void read_dynamo(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  const std::string backend = word_at(*spec, {"backendFramework"});
  if (const Node* components = spec->find("components")) {
    for (const Node& each : components->items()) {
      read_dynamo_component(object, backend, each, deployment);
    }
  }
  if (const Node* services = spec->find("services")) {
    for (const Node::Entry& entry : services->entries()) {
      read_dynamo_service(object, backend, entry, deployment);
    }
  }
}

}  // namespace gpushape::review
