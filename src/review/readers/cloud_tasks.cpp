// Tasks of tools that rent machines and run commands on them: SkyPilot, dstack.
//
// Sources: SkyPilot, docs/source/reference/yaml-spec.rst (accelerators, num_nodes, run; a bare A100
// of its catalog has 40 GB) and running-jobs/environment-variables.rst; dstack,
// mkdocs/docs/reference/dstack.yml (resources.gpu, commands).
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "domain/engine.hpp"
#include "review/command_line.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/pod_parts.hpp"
#include "review/readers/serving.hpp"
#include "review/shell_words.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostTaskGpus = 64;       // ours: of one machine
constexpr std::int64_t kMostTaskNodes = 10'000;  // ours
constexpr std::size_t kMostAlternatives = 64;    // ours

/// "H100:8", with the node that says it.
struct NamedGpus {
  std::string name;
  std::int64_t count = 1;
  const Node* node = nullptr;
};

std::optional<std::int64_t> count_in(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < 1 || value > kMostTaskGpus) {
    return std::nullopt;
  }
  return value;
}

/// Nothing where the count is no number of GPUs.
std::optional<NamedGpus> gpus_in(std::string_view text, const Node& node) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  NamedGpus gpus{std::string(text.substr(0, colon)), 1, &node};
  if (colon < text.size()) {
    const auto count = count_in(text.substr(colon + 1));
    if (!count) return std::nullopt;
    gpus.count = *count;
  }
  if (gpus.name == "A100") gpus.name = "A100-40GB";
  return gpus;
}

/// A text, a list of them, or a mapping of names to counts; {L4:8, A10g:8} has names alone. Empty
/// where one of them cannot be read.
std::vector<NamedGpus> accelerators_of(const Node& node) {
  std::vector<NamedGpus> all;
  const auto take = [&all](std::string_view text, const Node& place) {
    auto gpus = gpus_in(text, place);
    if (gpus && all.size() < kMostAlternatives) all.push_back(std::move(*gpus));
    return gpus.has_value();
  };
  if (node.is(Node::Kind::String)) take(node.text(), node);
  for (const Node& item : node.items()) {
    if (!take(word_of(item), item)) return {};
  }
  for (const Node::Entry& entry : node.entries()) {
    const std::string count = word_of(entry.value);
    if (!take(count.empty() ? entry.name : entry.name + ":" + count, entry.value)) return {};
  }
  return all;
}

PodRequest begin_task(const Object& object, std::string kind) {
  PodRequest pod;
  pod.document = object.document;
  pod.root = object.root;
  pod.source = PodSource::Script;
  pod.kind = std::move(kind);
  pod.name = word_at(*object.root, {"name"});
  pod.is_partly_shown = true;
  return pod;
}

/// One count for all alternatives, or none.
std::optional<std::int64_t> common_count(const std::vector<NamedGpus>& gpus) {
  if (gpus.empty()) return std::nullopt;
  const bool is_common = std::ranges::all_of(
      gpus, [&](const NamedGpus& row) { return row.count == gpus.front().count; });
  return is_common ? std::optional(gpus.front().count) : std::nullopt;
}

void take_gpus(std::string_view field, const std::vector<NamedGpus>& gpus, Container& container,
               PodRequest& pod) {
  const auto count = common_count(gpus);
  if (!count) return;
  for (const NamedGpus& row : gpus) {
    pod.gpu_names.push_back({std::string(field), row.name, row.node, row.node->position()});
  }
  const Node* node = gpus.front().node;
  const ResourceAmount amount{"nvidia.com/gpu", static_cast<double>(*count), node,
                              node->position()};
  container.limits.push_back(amount);
  container.requests.push_back(amount);
}

std::vector<ShellVariable> task_variables(const Node& root, const std::vector<NamedGpus>& gpus) {
  std::vector<ShellVariable> variables;
  for (const NamedText& row : named_texts(root.find("envs"))) {
    variables.push_back({row.name, row.value});
  }
  if (const auto count = common_count(gpus)) {
    variables.push_back({"SKYPILOT_NUM_GPUS_PER_NODE", std::to_string(*count)});
  }
  const auto nodes = integer_at(root, {"num_nodes"});
  variables.push_back({"SKYPILOT_NUM_NODES", std::to_string(nodes ? nodes->value : 1)});
  return variables;
}

/// "pip install vllm==0.5.3post1"
std::optional<domain::EngineVersion> installed_version(std::string_view text,
                                                       std::string_view engine) {
  std::size_t at = text.find(engine);
  for (; at != std::string_view::npos; at = text.find(engine, at + 1)) {
    std::size_t from = at + engine.size();
    if (text.substr(from).starts_with('['))
      from = std::min(text.find(']', from), text.size() - 1) + 1;
    if (!text.substr(from).starts_with("==")) continue;
    from += 2;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", from), text.size());
    std::string_view version = text.substr(from, end - from);
    while (version.ends_with('.')) version.remove_suffix(1);
    return domain::engine_version(version);
  }
  return std::nullopt;
}

/// The engine that the commands start; over several machines its flags are no matter of one.
void take_engine(const std::string& installed, bool is_over_machines, Container& container) {
  container.has_command = true;
  container.engine = read_engine_call(container);
  if (!container.engine) return;
  if (is_over_machines) container.engine->is_split_elsewhere = true;
  if (!container.engine->version) {
    container.engine->version = installed_version(installed, container.engine->engine);
  }
}

void take_commands(const Object& object, const Node& script,
                   const std::vector<ShellVariable>& variables, Container& container) {
  for (ShellCommand& each :
       shell_commands(script.text(), place_in_scalar(*object.document, script), variables)) {
    container.commands.push_back(std::move(each.words));
  }
}

/// `resources.gpu` of dstack: "H100:8", "24GB", or a mapping; nothing where it names no product.
std::vector<NamedGpus> dstack_gpus(const Node& root) {
  const Node* gpu = at(root, {"resources", "gpu"});
  if (gpu == nullptr) return {};
  std::string name;
  std::string count = "1";
  if (gpu->is(Node::Kind::Mapping)) {
    name = word_at(*gpu, {"name"});
    if (gpu->find("count") != nullptr) count = word_at(*gpu, {"count"});
    const std::string memory = word_at(*gpu, {"memory"});
    if (name == "A100" && !memory.empty()) name += "-" + memory;
  } else {
    std::string_view text = gpu->is(Node::Kind::String) ? std::string_view(gpu->text()) : "";
    while (!text.empty()) {
      const std::size_t colon = std::min(text.find(':'), text.size());
      const std::string part(text.substr(0, colon));
      if (count_in(part)) count = part;
      const bool is_number = !part.empty() && part.front() >= '0' && part.front() <= '9';
      if (!part.empty() && !is_number) name = part;
      if (name == "A100" && part.ends_with("GB")) name += "-" + part;
      text.remove_prefix(std::min(colon + 1, text.size()));
    }
  }
  const auto number = count_in(count);
  if (name.empty() || name.contains(',') || !number) return {};
  return {{name, *number, gpu}};
}

}  // namespace

bool is_sky_task(const Node& root) {
  const Node* run = root.find("run");
  return root.find("kind") == nullptr && run != nullptr && run->is(Node::Kind::String) &&
         (at(root, {"resources", "accelerators"}) != nullptr || root.find("setup") != nullptr ||
          root.find("num_nodes") != nullptr);
}

void read_sky_task(const Object& object, Deployment& deployment) {
  const Node& root = *object.root;
  PodRequest pod = begin_task(object, "SkyPilot task");
  const Node* service = root.find("service");
  if (service != nullptr) take_serving_replicas(*service, {"replicas"}, pod);
  const auto nodes = integer_at(root, {"num_nodes"});
  if (nodes) pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostTaskNodes);
  const Node* accelerators = at(root, {"resources", "accelerators"});
  const auto gpus =
      accelerators == nullptr ? std::vector<NamedGpus>() : accelerators_of(*accelerators);
  Container container;
  container.node = object.root;
  container.name = "run";
  constexpr std::string_view kDocker = "docker:";
  if (auto image = text_at(root, {"resources", "image_id"});
      image && image->value.starts_with(kDocker)) {
    image->value.erase(0, kDocker.size());
    container.image = std::move(image);
  }
  take_gpus("resources.accelerators", gpus, container, pod);
  take_commands(object, *root.find("run"), task_variables(root, gpus), container);
  take_engine(word_at(root, {"setup"}) + word_at(root, {"run"}), pod.pods_per_replica > 1,
              container);
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

bool is_dstack_task(const Node& root) {
  const std::string type = word_at(root, {"type"});
  return root.find("kind") == nullptr && root.find("commands") != nullptr &&
         (type == "service" || type == "task" || type == "dev-environment");
}

void read_dstack_task(const Object& object, Deployment& deployment) {
  const Node& root = *object.root;
  PodRequest pod = begin_task(object, "dstack " + word_at(root, {"type"}));
  take_serving_replicas(root, {"replicas"}, pod);
  const auto nodes = integer_at(root, {"nodes"});
  if (nodes) pod.pods_per_replica = std::clamp<std::int64_t>(nodes->value, 1, kMostTaskNodes);
  const std::vector<NamedGpus> gpus = dstack_gpus(root);
  Container container;
  container.node = object.root;
  container.name = "commands";
  container.image = text_at(root, {"image"});
  take_gpus("resources.gpu", gpus, container, pod);
  std::vector<ShellVariable> variables;
  if (const auto count = common_count(gpus)) {
    variables.push_back({"DSTACK_GPUS_NUM", std::to_string(*count)});
    variables.push_back({"DSTACK_GPUS_PER_NODE", std::to_string(*count)});
  }
  std::string installed;
  if (const Node* env = root.find("env")) {
    for (const Node& row : env->items()) {
      const std::string text = word_of(row);
      const std::size_t equals = std::min(text.find('='), text.size());
      if (equals < text.size()) {
        variables.push_back({text.substr(0, equals), text.substr(equals + 1)});
      }
    }
    for (const NamedText& row : named_texts(env)) variables.push_back({row.name, row.value});
  }
  for (const Node& row : root.find("commands")->items()) {
    if (!row.is(Node::Kind::String)) continue;
    take_commands(object, row, variables, container);
    installed += row.text() + "\n";
  }
  take_engine(installed, pod.pods_per_replica > 1, container);
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
