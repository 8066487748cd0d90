// KServe: LLMInferenceService and InferenceService.
//
// Sources: kserve/kserve config/llmisvc (the presets start vllm serve with VLLM_ADDITIONAL_ARGS)
// and config/runtimes.
#include <algorithm>
#include <array>
#include <utility>

#include "review/model_names.hpp"
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
    const std::string hub = hub_name_in(word_of(*model));
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

}  // namespace

void read_llm_inference_service(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  if (spec == nullptr) return;
  // A volume or an image is no name; the model's own may be one.
  const Node* model = at(*spec, {"model", "uri"});
  const Node* name = at(*spec, {"model", "name"});
  const bool is_of_hub = model != nullptr && !hub_name_in(word_of(*model)).empty();
  if (model == nullptr || (name != nullptr && !is_of_hub)) model = name;
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

/// What services are laid over by `baseRefs`: a template.
void read_llm_inference_service_config(const Object& object, Deployment& deployment) {
  const std::size_t before = deployment.pods.size();
  read_llm_inference_service(object, deployment);
  for (std::size_t i = before; i < deployment.pods.size(); ++i) {
    deployment.pods[i].replicas = 0;
    deployment.pods[i].is_template = true;
    deployment.pods[i].is_partly_shown = true;
  }
}

}  // namespace gpushape::review
