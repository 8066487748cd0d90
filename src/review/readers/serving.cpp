#include "review/readers/serving.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "review/model_names.hpp"

namespace gpushape::review {

using document::Node;

namespace {

/// Where KServe mounts what spec.model.uri or storageUri names (kserve/kserve pkg/constants).
constexpr std::string_view kMountedModel = "/mnt/models";

}  // namespace

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

void put_command(const document::Document& document, Command words, Container& container) {
  if (container.has_command) return;
  if (!container.commands.empty()) {
    std::ranges::move(container.commands.front(), std::back_inserter(words));
  }
  add_environment(document, container, words);
  container.commands = {std::move(words)};
  container.has_command = true;
}

void name_mounted_model(std::string_view name, Container& container) {
  if (name.empty()) return;
  for (Command& command : container.commands) {
    for (Word& word : command) {
      std::string_view text = word.text;
      while (text.ends_with('/')) text.remove_suffix(1);
      if (text == kMountedModel) {
        word.text = name;
      } else if (text.ends_with("=" + std::string(kMountedModel))) {
        text.remove_suffix(kMountedModel.size());
        word.text = std::string(text) + std::string(name);
      }
    }
  }
}

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
  const std::string hub = hub_name_in(word_of(*model));
  const std::string name = hub.empty() ? word_of(*model) : hub;
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

}  // namespace gpushape::review
