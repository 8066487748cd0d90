// Models that Ray Serve serves with vLLM: the `llm_configs` of a RayService's serveConfigV2. They
// run on the GPUs of the cluster's workers, which are pods of their own.
//
// Source: ray-project/ray python/ray/llm/_internal/serve/configs/server_models.py (LLMConfig).
#include <algorithm>
#include <utility>

#include "review/embedded_text.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr double kMostRayGpus = 4096;  // ours: of one cluster
constexpr std::string_view kRayGpu = "nvidia.com/gpu";

/// GPUs of a worker's pod.
double gpus_of_group(const Node& group) {
  double count = 0;
  const Node* containers = at(group, {"template", "spec", "containers"});
  if (containers == nullptr) return 0;
  for (const Node& container : containers->items()) {
    const auto amount = quantity_at(container, {"resources", "limits", kRayGpu});
    if (amount) count += std::clamp(amount->value, 0.0, kMostRayGpus);
  }
  return count;
}

/// What the workers have in the end, and the group where there is one alone.
struct RayWorkers {
  double gpus = 0;
  const Node* only = nullptr;
  int groups = 0;
};

RayWorkers workers_of(const Node& spec) {
  RayWorkers workers;
  const Node* groups = at(spec, {"rayClusterConfig", "workerGroupSpecs"});
  if (groups == nullptr) return workers;
  for (const Node& group : groups->items()) {
    const double gpus = gpus_of_group(group);
    if (gpus <= 0) continue;
    auto most = integer_at(group, {"maxReplicas"});
    if (!most) most = integer_at(group, {"replicas"});
    const auto hosts = integer_at(group, {"numOfHosts"});
    const auto pods =
        static_cast<double>(std::clamp<std::int64_t>(most ? most->value : 1, 1, 4096)) *
        static_cast<double>(std::clamp<std::int64_t>(hosts ? hosts->value : 1, 1, 4096));
    workers.gpus = std::min(workers.gpus + gpus * pods, kMostRayGpus);
    workers.only = ++workers.groups == 1 ? &group : nullptr;
  }
  return workers;
}

/// vLLM's arguments by their names in Python: max_model_len.
void add_engine_arguments(const Node* arguments, Command& words) {
  if (arguments == nullptr) return;
  for (const Node::Entry& entry : arguments->entries()) {
    const Node& value = entry.value;
    if (value.is(Node::Kind::Mapping) || value.is(Node::Kind::Sequence)) continue;
    std::string flag = "--" + entry.name;
    std::ranges::replace(flag, '_', '-');
    if (!value.is(Node::Kind::Boolean)) {
      words.push_back(field_word(flag, word_of(value), value));
    } else if (value.boolean()) {
      words.push_back(field_word(flag, "", value));
    }
  }
}

double size_at(const Node& config, std::string_view name) {
  const auto size = integer_at(config, {"engine_kwargs", name});
  return size ? static_cast<double>(std::clamp<std::int64_t>(size->value, 1, 4096)) : 1;
}

/// A replica gets as many GPUs as it has ranks, where the workers have them.
void take_ray_gpus(const Node& config, const RayWorkers& workers, Container& container) {
  const double ranks = size_at(config, "tensor_parallel_size") *
                       size_at(config, "pipeline_parallel_size") *
                       size_at(config, "data_parallel_size");
  const double count = workers.gpus > 0 ? std::min(ranks, workers.gpus) : ranks;
  const Node* node = at(config, {"engine_kwargs", "tensor_parallel_size"});
  if (node == nullptr) node = &config;
  const ResourceAmount amount{std::string(kRayGpu), count, node, node->position()};
  container.limits.push_back(amount);
  container.requests.push_back(amount);
}

void read_llm_config(const Object& object, const Node& config, const RayWorkers& workers,
                     Deployment& deployment) {
  const Node* model = at(config, {"model_loading_config", "model_source"});
  const Node* id = at(config, {"model_loading_config", "model_id"});
  if (model == nullptr) model = id;
  if (model != nullptr && model->is(Node::Kind::Mapping)) model = model->find("bucket_uri");
  if (model == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.part = id == nullptr ? word_of(*model) : word_of(*id);
  pod.replicas = 0;  // the workers' pods ask for the GPUs
  pod.is_partly_shown = true;
  pod.has_whole_group = true;
  const std::string accelerator = word_at(config, {"accelerator_type"});
  if (!accelerator.empty() && accelerator != "A100") {
    const Node& node = *config.find("accelerator_type");
    pod.gpu_names.push_back({"accelerator_type", accelerator, &node, node.position()});
  }
  if (workers.only != nullptr) {
    const Node* selector = at(*workers.only, {"template", "spec", "nodeSelector"});
    pod.node_selector = named_texts(selector);
    pod.affinity = at(*workers.only, {"template", "spec", "affinity"});
  }
  Container container;
  container.node = &config;
  container.name = "replica";
  container.has_command = true;
  Command words = begin_command("vllm", model, config);
  add_engine_arguments(config.find("engine_kwargs"), words);
  container.commands.push_back(std::move(words));
  take_ray_gpus(config, workers, container);
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace

void read_ray_llm(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  const Node* text = at(spec, {"serveConfigV2"});
  if (text == nullptr || !text->is(Node::Kind::String)) return;
  const RayWorkers workers = workers_of(*spec);
  for (auto& embedded : read_embedded(*object.document, *text)) {
    const Node* applications = embedded->root.find("applications");
    if (applications != nullptr) {
      for (const Node& application : applications->items()) {
        const Node* configs = at(application, {"args", "llm_configs"});
        if (configs == nullptr) continue;
        for (const Node& config : configs->items()) {
          read_llm_config(object, config, workers, deployment);
        }
      }
    }
    deployment.embedded.push_back(std::move(embedded));
  }
}

}  // namespace gpushape::review
