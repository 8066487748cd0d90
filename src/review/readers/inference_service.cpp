// KServe's InferenceService, and the runtimes that it is filled in with.
//
// Sources: kserve/kserve config/runtimes, pkg/controller/v1beta1/inferenceservice/utils/utils.go
// (MergeRuntimeContainers: arguments behind the runtime's, everything else over it) and
// components/predictor.go (workerSpec: TENSOR_PARALLEL_SIZE and PIPELINE_PARALLEL_SIZE are set; how
// many pods there are computeRayNodeAndGPUs and computeMpNodeAndGPUs work out).
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "review/command_line.hpp"
#include "review/engine_starts.hpp"
#include "review/model_names.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"
#include "review/readers/serving_runtimes.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::string_view kModelContainer = "kserve-container";
constexpr std::string_view kGpuResource = "nvidia.com/gpu";
constexpr double kMostPodGpus = 4096;  // ours

constexpr auto kWorkerSizes = std::to_array<FieldFlag>({
    {"tensorParallelSize", "--tensor-parallel-size"},
    {"pipelineParallelSize", "--pipeline-parallel-size"},
});

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

/// `workerSpec` of the predictor, else of its runtime: the sizes of a model over several pods.
struct WorkerSizes {
  const Node* spec = nullptr;
  std::optional<Located<std::int64_t>> tensor;
  std::optional<Located<std::int64_t>> pipeline;
};

WorkerSizes worker_sizes(const Node& predictor, const ServingRuntime* runtime) {
  WorkerSizes sizes;
  sizes.spec = predictor.find("workerSpec");
  if (sizes.spec == nullptr) return sizes;
  sizes.tensor = integer_at(*sizes.spec, {"tensorParallelSize"});
  sizes.pipeline = integer_at(*sizes.spec, {"pipelineParallelSize"});
  if (runtime == nullptr) return sizes;
  const Node* own = at(*runtime->root, {"spec", "workerSpec"});
  if (own == nullptr) return sizes;
  if (!sizes.tensor) sizes.tensor = integer_at(*own, {"tensorParallelSize"});
  if (!sizes.pipeline) sizes.pipeline = integer_at(*own, {"pipelineParallelSize"});
  return sizes;
}

/// What the controller sets of them in the container's environment.
std::vector<ShellVariable> variables_of(const WorkerSizes& sizes) {
  std::vector<ShellVariable> variables;
  if (sizes.tensor) {
    variables.push_back({"TENSOR_PARALLEL_SIZE", std::to_string(sizes.tensor->value)});
  }
  if (sizes.pipeline) {
    variables.push_back({"PIPELINE_PARALLEL_SIZE", std::to_string(sizes.pipeline->value)});
  }
  return variables;
}

double gpus_of(const Container& container) {
  const ResourceAmount* row = container.request(kGpuResource);
  if (row == nullptr) row = container.limit(kGpuResource);
  return row == nullptr ? 0 : std::clamp(row->amount.value_or(0), 0.0, kMostPodGpus);
}

/// GPUs of a worker, as the service or its runtime says; 0: neither does.
double worker_gpus(const WorkerSizes& sizes, const ServingRuntime* runtime) {
  const Node* own = runtime == nullptr ? nullptr : at(*runtime->root, {"spec", "workerSpec"});
  for (const Node* spec : {sizes.spec, own}) {
    const Node* containers = at(spec, {"containers"});
    if (containers == nullptr || containers->items().empty()) continue;
    for (const std::string_view list : {"requests", "limits"}) {
      const auto count =
          quantity_at(containers->items().front(), {"resources", list, kGpuResource});
      if (count && count->value >= 1) return std::min(count->value, kMostPodGpus);
    }
  }
  return 0;
}

/// As many pods as the ranks take: with Ray by the GPUs of a worker, one each where nobody says;
/// with processes of its own a pod for every pipeline stage.
void take_worker_pods(const WorkerSizes& sizes, const ServingRuntime* runtime, Container& container,
                      PodRequest& pod) {
  if (sizes.spec == nullptr) return;
  const auto size = [](const std::optional<Located<std::int64_t>>& row) {
    return static_cast<double>(std::clamp<std::int64_t>(row ? row->value : 1, 1, 4096));
  };
  const double ranks = size(sizes.tensor) * size(sizes.pipeline);
  const bool has_processes =
      runtime != nullptr &&
      word_at(*runtime->root, {"spec", "annotations", "multinode/executor-backend"}) == "mp";
  const double head = gpus_of(container);
  double each = has_processes ? size(sizes.tensor) : worker_gpus(sizes, runtime);
  if (each <= 0) each = std::max(head, 1.0);
  if (head >= ranks) each = ranks;
  pod.pods_per_replica = static_cast<std::int64_t>(std::ceil(ranks / each));
  const Node& node = sizes.tensor ? *sizes.tensor->node : *sizes.spec;
  if (head > 0) return;
  const ResourceAmount amount{std::string(kGpuResource), std::min(each, ranks), &node,
                              node.position()};
  container.limits.push_back(amount);
  container.requests.push_back(amount);
}

/// The service's own amounts stand over those of the runtime.
void lay_over(std::vector<ResourceAmount> own, std::vector<ResourceAmount>& rows) {
  for (ResourceAmount& row : own) {
    std::erase_if(rows, [&](const ResourceAmount& other) { return other.name == row.name; });
    rows.push_back(std::move(row));
  }
}

/// "--max_model_len=8192" -> "--max-model-len"; empty for a value.
std::string flag_of(std::string_view word) {
  if (!word.starts_with("--")) return {};
  std::string flag(word.substr(0, word.find('=')));
  std::ranges::replace(flag, '_', '-');
  return flag;
}

/// The last one counts: what the service says again is no longer the runtime's.
void drop_overridden(const Command& arguments, Command& words) {
  std::vector<std::string> flags;
  for (const Word& word : arguments) {
    std::string flag = flag_of(word.text);
    if (!flag.empty()) flags.push_back(std::move(flag));
  }
  Command kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string flag = flag_of(words[i].text);
    if (flag.empty() || std::ranges::find(flags, flag) == flags.end()) {
      kept.push_back(words[i]);
      continue;
    }
    const bool has_value = words[i].text.contains('=');
    if (!has_value && i + 1 < words.size() && !words[i + 1].text.starts_with("--")) ++i;
  }
  words = std::move(kept);
}

/// The arguments go behind the words that start the engine, or the last ones.
void append_arguments(const std::vector<Command>& arguments, Container& container) {
  if (arguments.empty()) return;
  if (container.commands.empty()) container.commands.emplace_back();
  auto target = std::ranges::find_if(
      container.commands, [](const Command& command) { return start_of(command).has_value(); });
  if (target == container.commands.end()) target = std::prev(container.commands.end());
  drop_overridden(arguments.front(), *target);
  target->insert(target->end(), arguments.front().begin(), arguments.front().end());
}

template <class T>
void take_over(std::optional<T> own, std::optional<T>& value) {
  if (own) value = std::move(own);
}

void lay_over(Container own, Container& container) {
  take_over(std::move(own.image), container.image);
  if (own.has_command) {
    container.commands = std::move(own.commands);
    container.has_command = true;
  } else {
    append_arguments(own.commands, container);
  }
  std::ranges::move(container.environment, std::back_inserter(own.environment));
  container.environment = std::move(own.environment);
  lay_over(std::move(own.requests), container.requests);
  lay_over(std::move(own.limits), container.limits);
  std::ranges::move(own.claims, std::back_inserter(container.claims));
  std::ranges::move(own.mounts, std::back_inserter(container.mounts));
  take_over(own.startup, container.startup);
  take_over(own.liveness, container.liveness);
  take_over(own.readiness, container.readiness);
  container.node = own.node;
}

/// Of a runtime's containers the one that holds the model, with the variables of the controller.
Container model_container(const document::Document& document, const Node& spec,
                          const std::vector<ShellVariable>& variables) {
  const Node* containers = spec.find("containers");
  if (containers == nullptr || containers->items().empty()) return {};
  const Node* found = &containers->items().front();
  for (const Node& each : containers->items()) {
    if (word_at(each, {"name"}) == kModelContainer) found = &each;
  }
  Container container = read_container(document, *found);
  if (!variables.empty()) {
    std::vector<ShellVariable> all = review::variables_of(container.environment);
    all.insert(all.end(), variables.begin(), variables.end());
    container.commands = commands_of(document, found->find("command"), found->find("args"), all);
  }
  return container;
}

/// What the runtime says of the pod, where the service does not.
void take_runtime_pod(const ServingRuntime& runtime, const Node& spec, PodRequest& pod) {
  PodRequest base;
  base.document = runtime.document;
  read_pod_spec(spec, base);
  std::ranges::move(base.volumes, std::back_inserter(pod.volumes));
  std::ranges::move(base.claims, std::back_inserter(pod.claims));
  if (pod.node_selector.empty()) pod.node_selector = std::move(base.node_selector);
  if (pod.affinity == nullptr) pod.affinity = base.affinity;
  if (pod.tolerations == nullptr) pod.tolerations = base.tolerations;
  take_over(std::move(base.runtime_class), pod.runtime_class);
  pod.shares_host_ipc = pod.shares_host_ipc || base.shares_host_ipc;
}

/// KServe's own runtimes, which are part of every installation.
void begin_built_in(const Object& object, const Node& model, const Node* uri,
                    const WorkerSizes& sizes, Container& container) {
  const std::string format = word_at(model, {"modelFormat", "name"}) + word_at(model, {"runtime"});
  const Node* named = uri != nullptr && !hub_name_in(word_of(*uri)).empty() ? uri : nullptr;
  const bool is_vllm = format.contains("vllm");
  if (!is_vllm && (!format.contains("huggingface") || is_run_by_transformers(container))) return;
  Command words = begin_command(is_vllm ? "vllm" : "huggingfaceserver", named, model);
  add_fields(sizes.spec, kWorkerSizes, words);
  put_command(*object.document, std::move(words), container);
}

/// Where the model lies: `storageUri`, or a path within the store that a secret's key names.
std::string stored_at(const Node& model) {
  std::string uri = word_at(model, {"storageUri"});
  const std::string path = word_at(model, {"storage", "path"});
  if (!uri.empty() || path.empty()) return uri;
  const std::string key = word_at(model, {"storage", "key"});
  return "s3://" + (key.empty() ? std::string("store") : key) + "/" + path;
}

Container served_container(const Object& object, const Node& model, const ServingRuntime* runtime,
                           const WorkerSizes& sizes, PodRequest& pod) {
  Container own = read_container(*object.document, model);
  const Node* uri = model.find("storageUri");
  Container container;
  const Node* spec = runtime == nullptr ? nullptr : runtime->root->find("spec");
  if (spec == nullptr) {
    pod.is_partly_shown = true;
    container = std::move(own);
    begin_built_in(object, model, uri, sizes, container);
  } else {
    container = model_container(*runtime->document, *spec, variables_of(sizes));
    if (runtime->document->source != object.document->source) {
      const Node* field = model.find("runtime");
      place_at(field == nullptr ? model : *field, container);
    }
    take_runtime_pod(*runtime, *spec, pod);
    lay_over(std::move(own), container);
  }
  container.name = kModelContainer;
  const std::string address = stored_at(model);
  const std::string hub = hub_name_in(address);
  name_mounted_model(hub.empty() ? address : hub, container);
  fill_in_placeholders(object.name, container);
  take_worker_pods(sizes, runtime, container, pod);
  if (sizes.spec != nullptr) {
    container.engine = read_engine_call(container);
    // The controller makes the pods that the ranks take.
    if (container.engine) container.engine->is_split_elsewhere = true;
  }
  return container;
}

}  // namespace

void read_inference_service(const Object& object, Deployment& deployment) {
  const Node* predictor = at(*object.root, {"spec", "predictor"});
  if (predictor == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  take_serving_replicas(*predictor, {"minReplicas"}, pod);
  read_pod_spec(*predictor, pod);
  if (const Node* model = predictor->find("model")) {
    const ServingRuntime* runtime = runtime_of(*object.root, deployment);
    const WorkerSizes sizes = worker_sizes(*predictor, runtime);
    Container container = served_container(object, *model, runtime, sizes, pod);
    pod.containers.push_back(std::move(container));
  }
  deployment.pods.push_back(std::move(pod));
}

/// A runtime that no service of the documents names is a template: it is looked at, and asks for
/// nothing.
void read_serving_runtime(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr || !is_unused(object, deployment)) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  pod.replicas = 0;
  pod.is_template = true;
  pod.is_partly_shown = spec->find("workerSpec") != nullptr;
  read_pod_spec(*spec, pod);
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
