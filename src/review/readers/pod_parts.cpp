#include "review/readers/pod_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "review/quantity.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostReplicas = 1'000'000;  // ours: what no file means

std::optional<Probe> read_probe(const Node* node) {
  if (node == nullptr || !node->is(Node::Kind::Mapping)) return std::nullopt;
  Probe probe;
  probe.node = node;
  if (const auto value = quantity_at(*node, {"initialDelaySeconds"})) {
    probe.initial_delay = value->value;
  }
  if (const auto value = quantity_at(*node, {"periodSeconds"})) probe.period = value->value;
  if (const auto value = quantity_at(*node, {"timeoutSeconds"})) probe.timeout = value->value;
  if (const auto value = integer_at(*node, {"failureThreshold"})) probe.failures = value->value;
  return probe;
}

/// The base name of a program is that of a shell.
bool is_shell(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  return program == "sh" || program == "bash" || program == "ash" || program == "zsh";
}

/// "-c", "-lc", "-ec" …
bool takes_script(std::string_view word) {
  return word.size() >= 2 && word.front() == '-' && word[1] != '-' && word.back() == 'c';
}

/// "8192" behind "-c" is a context of llama.cpp.
bool is_number(std::string_view word) {
  return word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<ResourceAmount> amounts_of(const Node* mapping) {
  std::vector<ResourceAmount> amounts;
  if (mapping == nullptr) return amounts;
  for (const Node::Entry& entry : mapping->entries()) {
    amounts.push_back({entry.name, quantity_of(entry.value), &entry.value, entry.position});
  }
  return amounts;
}

std::vector<EnvironmentVariable> environment_of(const Node* list) {
  std::vector<EnvironmentVariable> found;
  if (list == nullptr) return found;
  for (const Node& item : list->items()) {
    const Node* value = item.find("value");
    found.push_back({word_at(item, {"name"}), value == nullptr ? std::string() : word_of(*value),
                     item.find("valueFrom") != nullptr, value == nullptr ? &item : value});
  }
  return found;
}

std::vector<ShellVariable> variables_of(const std::vector<EnvironmentVariable>& environment) {
  std::vector<ShellVariable> variables;
  variables.reserve(environment.size());
  for (const EnvironmentVariable& row : environment) variables.push_back({row.name, row.value});
  return variables;
}

std::vector<Command> commands_of(const document::Document& document, const Node* command,
                                 const Node* arguments,
                                 const std::vector<ShellVariable>& variables) {
  std::vector<const Node*> nodes;
  for (const Node* list : {command, arguments}) {
    if (list == nullptr) continue;
    if (!list->is(Node::Kind::Sequence)) {
      if (list->is(Node::Kind::String)) nodes.push_back(list);
      continue;
    }
    for (const Node& item : list->items()) nodes.push_back(&item);
  }
  std::vector<Command> commands;
  if (nodes.empty()) return commands;
  const std::string first = word_of(*nodes.front());
  const bool is_bare_script =  // `args: [-c, SCRIPT]` behind an entrypoint that is a shell
      command == nullptr && takes_script(first) && nodes.size() > 1 &&
      !is_number(word_of(*nodes[1]));
  if (is_shell(first) || is_bare_script) {
    std::size_t i = is_bare_script ? 0 : 1;
    while (i < nodes.size() && word_of(*nodes[i]).starts_with('-') &&
           !takes_script(word_of(*nodes[i]))) {
      ++i;
    }
    if (i + 1 < nodes.size() && takes_script(word_of(*nodes[i]))) {
      const Node& script = *nodes[i + 1];
      for (ShellCommand& each :
           shell_commands(script.text(), place_in_scalar(document, script), variables)) {
        commands.push_back(std::move(each.words));
      }
      return commands;
    }
  }
  Command words;
  words.reserve(nodes.size());
  for (const Node* node : nodes) {
    words.push_back({with_variables(word_of(*node), variables), node->position()});
  }
  commands.push_back(std::move(words));
  return commands;
}

Command words_of(const document::Document& document, const Node& text) {
  Command words;
  for (ShellCommand& each : shell_commands(text.text(), place_in_scalar(document, text))) {
    std::ranges::move(each.words, std::back_inserter(words));
  }
  return words;
}

Container read_container(const document::Document& document, const Node& node) {
  Container container;
  container.node = &node;
  container.name = word_at(node, {"name"});
  container.image = text_at(node, {"image"});
  container.environment = environment_of(node.find("env"));
  container.has_command = node.find("command") != nullptr;
  container.commands = commands_of(document, node.find("command"), node.find("args"),
                                   variables_of(container.environment));
  container.hooks = commands_of(document, at(node, {"lifecycle", "postStart", "exec", "command"}),
                                nullptr, variables_of(container.environment));
  container.requests = amounts_of(at(node, {"resources", "requests"}));
  container.limits = amounts_of(at(node, {"resources", "limits"}));
  if (const Node* claims = at(node, {"resources", "claims"})) {
    for (const Node& each : claims->items()) {
      container.claims.push_back({word_at(each, {"name"}), word_at(each, {"request"}), &each});
    }
  }
  container.startup = read_probe(node.find("startupProbe"));
  container.liveness = read_probe(node.find("livenessProbe"));
  container.readiness = read_probe(node.find("readinessProbe"));
  if (const Node* mounts = node.find("volumeMounts")) {
    for (const Node& each : mounts->items()) {
      std::string path = word_at(each, {"mountPath"});
      while (path.size() > 1 && path.ends_with('/')) path.pop_back();
      container.mounts.push_back({word_at(each, {"name"}), std::move(path), &each});
    }
  }
  container.is_privileged = is_set(node, {"securityContext", "privileged"});
  return container;
}

Volume read_volume(const Node& node) {
  Volume volume;
  volume.node = &node;
  volume.name = word_at(node, {"name"});
  if (const Node* empty = node.find("emptyDir")) {
    volume.kind = VolumeKind::EmptyDir;
    volume.is_memory = word_at(*empty, {"medium"}).starts_with("Memory");
    volume.limit_bytes = quantity_at(*empty, {"sizeLimit"});
  } else if (const Node* claim = node.find("persistentVolumeClaim")) {
    volume.kind = VolumeKind::PersistentClaim;
    volume.claim = word_at(*claim, {"claimName"});
  } else if (const Node* path = node.find("hostPath")) {
    volume.kind = VolumeKind::HostPath;
    volume.path = word_at(*path, {"path"});
  } else if (node.find("image") != nullptr) {
    volume.kind = VolumeKind::Image;
  } else if (node.find("configMap") != nullptr || node.find("secret") != nullptr ||
             node.find("projected") != nullptr) {
    volume.kind = VolumeKind::Configuration;
  }
  return volume;
}

PodRequest begin_pod(const document::Document& document, const Node& root) {
  PodRequest pod;
  pod.document = &document;
  pod.root = &root;
  pod.kind = word_at(root, {"kind"});
  pod.name = word_at(root, {"metadata", "name"});
  pod.name_space = word_at(root, {"metadata", "namespace"});
  pod.object_labels = named_texts(at(root, {"metadata", "labels"}));
  pod.object_annotations = named_texts(at(root, {"metadata", "annotations"}));
  return pod;
}

void read_pod_spec(const Node& spec, PodRequest& pod) {
  pod.spec = &spec;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const Node* containers = spec.find(list);
    if (containers == nullptr) continue;
    for (const Node& each : containers->items()) {
      Container container = read_container(*pod.document, each);
      // An init container that restarts is a sidecar: it runs beside the others.
      container.is_init = list == "initContainers" && word_at(each, {"restartPolicy"}) != "Always";
      pod.containers.push_back(std::move(container));
    }
  }
  if (const Node* volumes = spec.find("volumes")) {
    for (const Node& each : volumes->items()) pod.volumes.push_back(read_volume(each));
  }
  if (const Node* claims = spec.find("resourceClaims")) {
    for (const Node& each : claims->items()) {
      const Node* source = each.find("source");
      const Node& names = source == nullptr ? each : *source;
      pod.claims.push_back({&each, word_at(each, {"name"}), text_at(names, {"resourceClaimName"}),
                            text_at(names, {"resourceClaimTemplateName"}), source != nullptr});
    }
  }
  pod.node_selector = named_texts(spec.find("nodeSelector"));
  pod.affinity = spec.find("affinity");
  pod.tolerations = spec.find("tolerations");
  pod.scheduler = text_at(spec, {"schedulerName"});
  pod.runtime_class = text_at(spec, {"runtimeClassName"});
  pod.priority_class = text_at(spec, {"priorityClassName"});
  pod.shares_host_pid = is_set(spec, {"hostPID"});
  pod.shares_host_ipc = is_set(spec, {"hostIPC"});
  if (const auto deadline = quantity_at(spec, {"activeDeadlineSeconds"})) {
    pod.deadline_seconds = deadline;
  }
}

void read_pod_template(const Node* pod_template, PodRequest& pod) {
  if (pod_template == nullptr) return;
  pod.labels = named_texts(at(*pod_template, {"metadata", "labels"}));
  pod.annotations = named_texts(at(*pod_template, {"metadata", "annotations"}));
  if (const Node* spec = pod_template->find("spec")) read_pod_spec(*spec, pod);
}

Word field_word(std::string_view flag, std::string_view value, const Node& node) {
  return {value.empty() ? std::string(flag) : fmt::format("{}={}", flag, value), node.position(),
          true};
}

// ---- what rules ask of them ----

const Node& PodRequest::place() const {
  const Node* named = at(*root, {"metadata", "name"});
  if (named == nullptr) named = root->find("name");
  return named == nullptr ? *root : *named;
}

std::string PodRequest::title() const {
  std::string text = kind;
  const std::string full = name_space.empty() ? name : name_space + "/" + name;
  if (!full.empty()) text += " " + full;
  return part.empty() ? text : fmt::format("{} ({})", text, part);
}

const NamedText* PodRequest::annotation(std::string_view wanted) const {
  const NamedText* found = find_name(annotations, wanted);
  return found != nullptr ? found : find_name(object_annotations, wanted);
}

const NamedText* PodRequest::label(std::string_view wanted) const {
  const NamedText* found = find_name(labels, wanted);
  return found != nullptr ? found : find_name(object_labels, wanted);
}

const Volume* PodRequest::volume(std::string_view wanted) const {
  const auto found = std::ranges::find(volumes, wanted, &Volume::name);
  return found == volumes.end() ? nullptr : &*found;
}

const PodClaim* PodRequest::pod_claim(std::string_view wanted) const {
  const auto found = std::ranges::find(claims, wanted, &PodClaim::name);
  return found == claims.end() ? nullptr : &*found;
}

bool PodRequest::states_lifetime() const {
  return annotation("gpushape.dev/lifetime") != nullptr ||
         annotation("gpushape.dev/expires") != nullptr;
}

const Container* PodRequest::engine_container() const {
  const auto found = std::ranges::find_if(
      containers, [](const Container& each) { return each.engine && !each.is_init; });
  return found == containers.end() ? nullptr : &*found;
}

double PodRequest::amount(std::string_view resource) const {
  double sum = 0;
  for (const Container& container : containers) {
    if (container.is_init) continue;
    const ResourceAmount* row = container.request(resource);
    if (row == nullptr) row = container.limit(resource);
    if (row != nullptr) sum += row->amount.value_or(0);
  }
  return sum;
}

double PodRequest::gpu_count() const {
  double count = 0;
  for (const GpuAsk& ask : gpus) count += ask.count;
  return std::min(count, static_cast<double>(kMostReplicas));
}

namespace {

const ResourceAmount* find_amount(const std::vector<ResourceAmount>& rows,
                                  std::string_view resource) {
  const auto row = std::ranges::find(rows, resource, &ResourceAmount::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

const ResourceAmount* Container::request(std::string_view resource) const {
  return find_amount(requests, resource);
}

const ResourceAmount* Container::limit(std::string_view resource) const {
  return find_amount(limits, resource);
}

const EnvironmentVariable* Container::variable(std::string_view wanted) const {
  const auto row = std::ranges::find(environment, wanted, &EnvironmentVariable::name);
  return row == environment.end() ? nullptr : &*row;
}

const VolumeMount* Container::mount_at(std::string_view path) const {
  const auto row = std::ranges::find(mounts, path, &VolumeMount::path);
  return row == mounts.end() ? nullptr : &*row;
}

}  // namespace gpushape::review
