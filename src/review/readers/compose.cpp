// Compose files: a service is a container on a machine of its own.
//
// Source: compose-spec/compose-spec, spec.md and deploy.md (reservations of devices).
#include <algorithm>
#include <utility>

#include "review/quantity.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr double kMostComposeGpus = 64;

std::vector<EnvironmentVariable> compose_environment(const Node* node) {
  std::vector<EnvironmentVariable> rows;
  if (node == nullptr) return rows;
  for (const Node::Entry& entry : node->entries()) {
    rows.push_back({entry.name, word_of(entry.value), false, &entry.value});
  }
  for (const Node& item : node->items()) {
    const std::string& text = item.text();
    const std::size_t equals = std::min(text.find('='), text.size());
    rows.push_back({text.substr(0, equals),
                    equals < text.size() ? text.substr(equals + 1) : std::string(),
                    equals == text.size(), &item});
  }
  return rows;
}

/// `command: vllm serve …` in one text is split as a shell splits it.
std::vector<Command> compose_commands(const document::Document& document, const Node& service,
                                      const std::vector<ShellVariable>& variables) {
  const Node* entrypoint = service.find("entrypoint");
  const Node* command = service.find("command");
  if (command != nullptr && command->is(Node::Kind::String)) {
    Command words;
    for (ShellCommand& each :
         shell_commands(command->text(), place_in_scalar(document, *command), variables)) {
      std::ranges::move(each.words, std::back_inserter(words));
    }
    if (entrypoint != nullptr) {
      auto first = commands_of(document, entrypoint, nullptr, variables);
      if (!first.empty()) words.insert(words.begin(), first.front().begin(), first.front().end());
    }
    return {std::move(words)};
  }
  return commands_of(document, entrypoint, command, variables);
}

/// Sizes of compose: "16gb", "64m", 1024.
std::optional<Located<double>> compose_bytes(const Node* node) {
  if (node == nullptr) return std::nullopt;
  if (node->is_number()) return Located<double>{node->number(), node};
  std::string text = node->text();
  while (!text.empty() && (text.back() == 'b' || text.back() == 'B')) text.pop_back();
  double factor = 1;
  if (!text.empty()) {
    const char unit = static_cast<char>(text.back() | 0x20);
    factor = unit == 'k' ? 1024.0 : unit == 'm' ? 1048576.0 : unit == 'g' ? 1073741824.0 : 1;
    if (factor > 1) text.pop_back();
  }
  const auto value = quantity_of(Node(text));
  if (!value) return std::nullopt;
  return Located<double>{*value * factor, node};
}

void take_compose_gpus(const Node& service, PodRequest& pod) {
  GpuAsk ask;
  ask.kind = GrantKind::HostDevice;
  ask.resource = "deploy.resources.reservations.devices";
  const Node* rows = at(service, {"deploy", "resources", "reservations", "devices"});
  if (rows != nullptr) {
    for (const Node& row : rows->items()) {
      const Node* capabilities = row.find("capabilities");
      const bool is_gpu =
          word_at(row, {"driver"}) == "nvidia" ||
          (capabilities != nullptr &&
           std::ranges::any_of(capabilities->items(),
                               [](const Node& each) { return word_of(each) == "gpu"; }));
      if (!is_gpu) continue;
      const Node* count = row.find("count");
      const Node* ids = row.find("device_ids");
      ask.node = count != nullptr ? count : ids != nullptr ? ids : &row;
      ask.takes_all = ids == nullptr && (count == nullptr || word_of(*count) == "all");
      if (count != nullptr && count->is(Node::Kind::Integer)) {
        ask.count = std::clamp(count->number(), 0.0, kMostComposeGpus);
      } else if (ids != nullptr) {
        ask.count = static_cast<double>(ids->items().size());
      }
      pod.gpus.push_back(ask);
    }
    return;
  }
  if (const Node* gpus = service.find("gpus")) {
    ask.resource = "gpus";
    ask.node = gpus;
    ask.takes_all = word_of(*gpus) == "all";
    if (gpus->is(Node::Kind::Integer)) ask.count = std::clamp(gpus->number(), 0.0, 64.0);
    pod.gpus.push_back(ask);
  } else if (const Node* runtime = service.find("runtime");
             runtime != nullptr && word_of(*runtime) == "nvidia") {
    ask.resource = "runtime";
    ask.node = runtime;
    ask.takes_all = true;
    pod.gpus.push_back(ask);
  }
}

void read_service(const Object& object, const Node::Entry& entry, Deployment& deployment) {
  const Node& service = entry.value;
  PodRequest pod;
  pod.document = object.document;
  pod.root = &service;
  pod.source = PodSource::Compose;
  pod.kind = "service";
  pod.name = entry.name;
  pod.stated_replicas = integer_at(service, {"deploy", "replicas"});
  if (pod.stated_replicas) {
    pod.replicas = std::clamp<std::int64_t>(pod.stated_replicas->value, 0, 1'000'000);
  }
  pod.object_labels = named_texts(service.find("labels"));
  pod.object_annotations = pod.object_labels;  // the place for gpushape.dev/… in a compose file
  Container container;
  container.node = &service;
  container.name = entry.name;
  container.image = text_at(service, {"image"});
  container.environment = compose_environment(service.find("environment"));
  container.has_command = service.find("entrypoint") != nullptr;
  container.commands =
      compose_commands(*object.document, service, variables_of(container.environment));
  container.is_privileged = is_set(service, {"privileged"});
  pod.containers.push_back(std::move(container));
  pod.shares_host_ipc = word_at(service, {"ipc"}) == "host";
  pod.shares_host_pid = word_at(service, {"pid"}) == "host";
  if (const auto bytes = compose_bytes(service.find("shm_size"))) {
    add_shared_memory(*bytes->node, bytes, pod);
  }
  take_compose_gpus(service, pod);
  deployment.pods.push_back(std::move(pod));
}

}  // namespace

bool is_compose(const Node& root) {
  const Node* services = root.find("services");
  if (services == nullptr || root.find("kind") != nullptr) return false;
  return std::ranges::any_of(services->entries(), [](const Node::Entry& entry) {
    return entry.value.find("image") != nullptr || entry.value.find("build") != nullptr;
  });
}

void read_compose(const Object& object, Deployment& deployment) {
  for (const Node::Entry& entry : object.root->find("services")->entries()) {
    read_service(object, entry, deployment);
  }
}

}  // namespace gpushape::review
