// KServe: LLMInferenceService and InferenceService.
//
// Sources: kserve/kserve config/llmisvc (the presets start vllm serve with VLLM_ADDITIONAL_ARGS)
// and config/runtimes.
#include <algorithm>
#include <array>
#include <utility>

#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr auto kParallelism = std::to_array<FieldFlag>({
    {"tensor", "--tensor-parallel-size"},
    {"pipeline", "--pipeline-parallel-size"},
    {"data", "--data-parallel-size"},
    {"dataLocal", "--data-parallel-size-local"},
    {"expert", "--enable-expert-parallel"},
});

/// The container of that name; one without fields where the preset alone makes it.
Container& container_named(PodRequest& pod, std::string_view name, const Node& place) {
  if (Container* found = find_container(pod, name)) return *found;
  Container made;
  made.node = &place;
  made.name = name;
  return pod.containers.emplace_back(std::move(made));
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

}  // namespace

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

}  // namespace gpushape::review
