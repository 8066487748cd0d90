// KubeAI's Model: an address, an engine, its arguments, and a resource profile of the chart.
//
// Source: kubeai-project/kubeai api/k8s/v1/model_types.go, internal/modelcontroller/engine_vllm.go
// (a memory volume at /dev/shm) and charts/kubeai/values.yaml (a profile is one GPU, times the
// number behind its colon).
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "review/command_line.hpp"
#include "review/gpu_names.hpp"
#include "review/readers/kinds.hpp"
#include "review/readers/serving.hpp"

namespace gpushape::review {

using document::Node;

namespace {

constexpr std::int64_t kMostProfileGpus = 64;  // ours: of one pod

/// "nvidia-gpu-l4:8"
struct ResourceProfile {
  std::string name;
  std::int64_t count = 1;
};

ResourceProfile resource_profile_of(const Node& node) {
  const std::string text = word_of(node);
  const std::size_t colon = std::min(text.find(':'), text.size());
  ResourceProfile profile{text.substr(0, colon)};
  if (colon < text.size()) {
    const char* const end = text.data() + text.size();
    std::from_chars(text.data() + colon + 1, end, profile.count);
  }
  profile.count = std::clamp<std::int64_t>(profile.count, 0, kMostProfileGpus);
  return profile;
}

/// The chart's own profiles are one GPU each; what another one holds is not in sight.
void take_profile(const Node& node, const Deployment& deployment, Container& container,
                  PodRequest& pod) {
  const ResourceProfile profile = resource_profile_of(node);
  if (device_of_short_name(profile.name, deployment.request->devices) == nullptr) return;
  pod.gpu_names.push_back({"resourceProfile", profile.name, &node, node.position()});
  const bool is_amd = profile.name.starts_with("amd-");
  const ResourceAmount amount{is_amd ? "amd.com/gpu" : "nvidia.com/gpu",
                              static_cast<double>(profile.count), &node, node.position()};
  container.limits.push_back(amount);
  container.requests.push_back(amount);
}

/// `env` is a mapping here.
std::vector<EnvironmentVariable> mapped_environment(const Node* mapping) {
  std::vector<EnvironmentVariable> rows;
  for (const NamedText& row : named_texts(mapping)) {
    rows.push_back({row.name, row.value, false, row.node});
  }
  return rows;
}

/// "ollama://gemma2:27b?model=…" -> "gemma2:27b"
std::string ollama_name(std::string_view url) {
  constexpr std::string_view kScheme = "ollama://";
  if (url.starts_with(kScheme)) url.remove_prefix(kScheme.size());
  return std::string(url.substr(0, url.find('?')));
}

void start_engine(const Object& object, const Node& spec, const Node& url, Container& container) {
  const std::string engine = word_at(spec, {"engine"});
  if (engine == "OLlama") {
    container.image = Located<std::string>{"ollama/ollama", &url};
    const auto word = [&url](std::string text) {
      return Word{std::move(text), url.position(), true};
    };
    container.commands = {{word("ollama"), word("pull"), word(ollama_name(word_of(url)))}};
  } else if (engine == "VLLM") {
    Command words = begin_command("vllm", &url, spec);
    auto own = commands_of(*object.document, nullptr, spec.find("args"), {});
    if (!own.empty()) std::ranges::move(own.front(), std::back_inserter(words));
    container.commands = {std::move(words)};
    container.has_command = true;
  }
}

}  // namespace

void read_kubeai_model(const Object& object, Deployment& deployment) {
  const Node* spec = object.root->find("spec");
  const Node* url = at(spec, {"url"});
  if (url == nullptr) return;
  PodRequest pod = begin_pod(*object.document, *object.root);
  take_serving_replicas(*spec, {spec->find("replicas") != nullptr ? "replicas" : "minReplicas"},
                        pod);
  pod.is_partly_shown = true;
  Container container;
  container.node = spec;
  container.name = "server";
  container.environment = mapped_environment(spec->find("env"));
  start_engine(object, *spec, *url, container);
  if (const auto image = text_at(*spec, {"image"})) container.image = image;
  if (container.has_command) {
    container.engine = read_engine_call(container);
    // Which release it is the chart's values say, where the Model does not.
    if (container.engine && spec->find("image") == nullptr) container.engine->is_wrapped = true;
  }
  if (const Node* profile = spec->find("resourceProfile")) {
    take_profile(*profile, deployment, container, pod);
  }
  pod.containers.push_back(std::move(container));
  deployment.pods.push_back(std::move(pod));
}

}  // namespace gpushape::review
