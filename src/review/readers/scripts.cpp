// Shell scripts and systemd units: every command that starts an engine, and what `docker run` gives
// its container.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "review/command_line.hpp"
#include "review/quantity.hpp"
#include "review/read_input.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

/// Options of `docker run` that take no value; every other one takes the next word where it has no
/// "=". Source: docker/cli, docs/reference/run.md.
constexpr auto kSwitches = std::to_array<std::string_view>(
    {"-d", "--detach", "-i", "--interactive", "-t", "--tty", "-it", "-ti", "-dit", "-itd", "--rm",
     "--init", "--privileged", "-P", "--publish-all", "--read-only", "--no-healthcheck",
     "--oom-kill-disable", "--sig-proxy", "--disable-content-trust"});


bool is_container_run(const Command& words, std::size_t& behind) {
  for (std::size_t i = 0; i + 1 < words.size() && i < 2; ++i) {
    const std::string& tool = words[i].text;
    if (tool != "docker" && tool != "podman" && tool != "nerdctl") continue;
    behind = i + 2;
    if (words[i + 1].text == "run") return true;
    if (words[i + 1].text == "container" && i + 2 < words.size() && words[i + 2].text == "run") {
      ++behind;
      return true;
    }
  }
  return false;
}

std::int64_t number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::clamp<std::int64_t>(value, 0, 64) : 0;
}

/// --gpus all, --gpus 2, --gpus '"device=0,1"'
GpuAsk gpus_of_option(std::string_view value, const Node& root) {
  GpuAsk ask;
  ask.kind = GrantKind::HostDevice;
  ask.resource = "--gpus";
  ask.node = &root;
  const std::size_t devices = value.find("device=");
  if (value.contains("all")) {
    ask.takes_all = true;
  } else if (devices != std::string_view::npos) {
    const std::string_view list = value.substr(devices);
    ask.count = static_cast<double>(std::ranges::count(list, ',') + 1);
  } else {
    const std::size_t digits = std::min(value.find_first_of("0123456789"), value.size());
    ask.count = static_cast<double>(number_of(value.substr(digits)));
  }
  return ask;
}

std::optional<double> docker_bytes(std::string text) {
  while (!text.empty() && (text.back() | 0x20) == 'b') text.pop_back();
  if (text.empty()) return std::nullopt;
  const char unit = static_cast<char>(text.back() | 0x20);
  const double factor = unit == 'k' ? 1024.0 : unit == 'm' ? 1048576.0 : unit == 'g' ? 1073741824.0 : 1;
  if (factor > 1) text.pop_back();
  const auto value = quantity_of(Node(text));
  return value ? std::optional(*value * factor) : std::nullopt;
}

void take_option(const Node& root, std::string_view name, std::string_view value, PodRequest& pod,
                 Container& container) {
  if (name == "--gpus") pod.gpus.push_back(gpus_of_option(value, root));
  if (name == "--ipc") pod.shares_host_ipc = value == "host";
  if (name == "--pid") pod.shares_host_pid = value == "host";
  if (name == "--privileged") container.is_privileged = true;
  if (name == "--shm-size") {
    if (const auto bytes = docker_bytes(std::string(value))) {
      add_shared_memory(root, Located<double>{*bytes, &root}, pod);
      container.mounts.push_back({pod.volumes.back().name, "/dev/shm", &root});
    }
  }
  if (name == "-e" || name == "--env") {
    const std::size_t equals = std::min(value.find('='), value.size());
    container.environment.push_back(
        {std::string(value.substr(0, equals)),
         equals < value.size() ? std::string(value.substr(equals + 1)) : std::string(), false,
         &root});
  }
  if (name == "--entrypoint") container.has_command = true;
}

/// The container that `docker run OPTIONS IMAGE WORDS` starts.
void take_container_run(const Node& root, const Command& words, std::size_t first, PodRequest& pod,
                        Container& container) {
  std::size_t i = first;
  std::optional<Word> entrypoint;
  for (; i < words.size() && words[i].text.starts_with('-'); ++i) {
    const std::string& option = words[i].text;
    const std::size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    const bool is_switch = std::ranges::find(kSwitches, option) != kSwitches.end();
    std::string value = equals == std::string::npos ? std::string() : option.substr(equals + 1);
    if (equals == std::string::npos && !is_switch && i + 1 < words.size()) value = words[++i].text;
    if (name == "--entrypoint") entrypoint = Word{value, words[i].position};
    take_option(root, name, value, pod, container);
  }
  if (i >= words.size()) return;
  container.image = Located<std::string>{words[i].text, &root};
  Command rest(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  if (entrypoint) rest.insert(rest.begin(), *entrypoint);
  container.commands = {std::move(rest)};
}

void take_command(const Object& object, PodSource source, Command words, Deployment& deployment) {
  PodRequest pod;
  pod.document = object.document;
  pod.root = object.root;
  pod.source = source;
  pod.kind = object.kind;
  pod.name = object.document->source->file;
  Container container;
  container.node = object.root;
  container.has_command = true;
  std::size_t behind = 0;
  if (is_container_run(words, behind)) {
    container.has_command = false;
    take_container_run(*object.root, words, behind, pod, container);
  } else {
    container.commands = {std::move(words)};
  }
  container.engine = read_engine_call(container);
  if (!container.engine) return;
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

/// The text behind "ExecStart=", lines continued with a backslash; its offset in `text`.
std::vector<std::pair<std::size_t, std::string_view>> started_by_unit(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  constexpr std::string_view kKey = "ExecStart=";
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at)) {
    const bool is_line = at == 0 || text[at - 1] == '\n';
    std::size_t begin = at + kKey.size();
    while (begin < text.size() && std::string_view("-@:+!").contains(text[begin])) ++begin;
    std::size_t end = text.find('\n', begin);
    while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') {
      end = text.find('\n', end + 1);
    }
    end = std::min(end, text.size());
    if (is_line && end > begin) found.emplace_back(begin, text.substr(begin, end - begin));
    at = std::max(end, at + kKey.size());
  }
  return found;
}

}  // namespace

bool is_script_text(const Node& root) { return root.is(Node::Kind::String); }

void read_script(const Object& object, Deployment& deployment) {
  const std::string_view text = object.document->source->text;
  if (!is_script(text, object.document->source->file)) return;
  const auto units = started_by_unit(text);
  if (text.contains("[Service]") && !units.empty()) {
    Object unit = object;
    unit.kind = "systemd unit";
    for (const auto& [offset, line] : units) {
      const PlaceInText place = [text, start = offset](std::size_t at, std::size_t length) {
        return place_in_file(text)(start + at, length);
      };
      for (ShellCommand& each : shell_commands(line, place)) {
        take_command(unit, PodSource::SystemdUnit, std::move(each.words), deployment);
      }
    }
    return;
  }
  Object script = object;
  script.kind = "script";
  for (ShellCommand& each : shell_commands(text, place_in_file(text))) {
    take_command(script, PodSource::Script, std::move(each.words), deployment);
  }
}

}  // namespace gpushape::review
