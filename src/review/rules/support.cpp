#include "review/rules/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "review/published_table.hpp"

namespace gpushape::review {

namespace {

constexpr double kKibibyte = 1024;
constexpr double kMebibyteSize = kKibibyte * kKibibyte;
constexpr double kGibibyteSize = kMebibyteSize * kKibibyte;
constexpr std::int64_t kMostRanksOfCall = 65'536;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || text.empty()) return std::nullopt;
  return value;
}

/// A size of the layout: 1 where it is not given, nothing where it is given and no number.
std::optional<std::int64_t> size_or_one(const EngineCall& call, std::string_view setting) {
  if (call.find(setting) == nullptr) return 1;
  const auto size = whole_of(call, setting);
  if (!size || *size < 1 || *size > kMostRanksOfCall) return std::nullopt;
  return size;
}

/// The selectors of the class and of the request, compiled; nothing where one does not compile.
std::optional<std::vector<cel::Selector>> selectors_of(const Deployment& deployment,
                                                       const ClaimRequest& request) {
  std::vector<cel::Selector> compiled;
  const auto add_all = [&](const std::vector<Located<std::string>>& rows) {
    for (const Located<std::string>& row : rows) {
      auto selector = cel::Selector::compile(row.value);
      if (!selector) return false;
      compiled.push_back(std::move(*selector));
    }
    return true;
  };
  const DeviceClass* own =
      request.device_class ? deployment.find_device_class(request.device_class->value) : nullptr;
  if (own != nullptr && !add_all(own->selectors)) return std::nullopt;
  if (!add_all(request.selectors)) return std::nullopt;
  return compiled;
}

cel::Answer answer_of(const std::vector<cel::Selector>& selectors,
                      const cel::PublishedDevice& device) {
  const cel::Value value = device.value();
  cel::Answer whole{cel::Verdict::Yes, {}};
  for (const cel::Selector& selector : selectors) {
    cel::Answer answer = selector.run(value);
    if (answer.verdict == cel::Verdict::No || answer.verdict == cel::Verdict::Error) return answer;
    if (answer.verdict == cel::Verdict::Unknown) whole = std::move(answer);
  }
  return whole;
}

/// The device as its name promises it: an "80 GB" card with 80Gi.
std::optional<cel::PublishedDevice> as_named(const PublishedGpu& gpu) {
  if (gpu.type != "gpu" || gpu.is_guest || !gpu.product->nvml_bytes) return std::nullopt;
  cel::PublishedDevice device = gpu.device;
  device.capacity("memory",
                  cel::quantity(static_cast<double>(gpu.product->nominal_gb) * kGibibyteSize));
  return device;
}

/// Whether a device whose memory nobody published could still be meant: it has at most what its
/// name says, and not much less.
bool could_match(const std::vector<cel::Selector>& selectors, const PublishedGpu& gpu) {
  const std::int64_t named =
      gpu.profile != nullptr ? gpu.profile->nominal_gib : gpu.product->nominal_gb;
  const cel::Fields* capacity = gpu.device.capacity_of(kNvidiaDriver);
  const auto memory =
      capacity == nullptr ? cel::Fields::const_iterator() : capacity->find("memory");
  const bool is_open =
      capacity != nullptr && memory != capacity->end() && memory->second.kind == cel::Kind::Unknown;
  if (named <= 0 || !is_open) return true;
  constexpr double kLeastOfName = 0.9;
  for (const double share : {1.0, kLeastOfName}) {
    cel::PublishedDevice device = gpu.device;
    device.capacity("memory", cel::quantity(share * static_cast<double>(named) * kGibibyteSize));
    if (answer_of(selectors, device).verdict != cel::Verdict::No) return true;
  }
  return false;
}

DeviceMatch matched_devices(const Deployment& deployment, const ClaimRequest& request) {
  DeviceMatch match;
  if (!request.device_class) return match;
  const auto type = type_of_class(request.device_class->value);
  const DeviceClass* own = deployment.find_device_class(request.device_class->value);
  if (!type && (own == nullptr || own->selectors.empty())) return match;
  const auto selectors = selectors_of(deployment, request);
  if (!selectors) return match;
  match.is_judged = true;
  for (const PublishedGpu& gpu : deployment.published->gpus()) {
    if (type && *type != gpu.type) continue;
    cel::Answer answer = answer_of(*selectors, gpu.device);
    if (answer.verdict == cel::Verdict::Yes) match.yes.push_back(&gpu);
    if (answer.verdict == cel::Verdict::Unknown && could_match(*selectors, gpu)) {
      match.maybe.push_back(&gpu);
    }
    if (answer.verdict == cel::Verdict::Error) match.error = std::move(answer.error);
    if (answer.verdict != cel::Verdict::No) continue;
    const auto named = as_named(gpu);
    if (named && answer_of(*selectors, *named).verdict == cel::Verdict::Yes) {
      match.nearly.push_back(&gpu);
    }
  }
  return match;
}

}  // namespace

struct DeviceMatches {
  std::map<std::string, DeviceMatch, std::less<>> rows;  ///< by selection_key()
};

void each_engine(const Deployment& deployment, const EngineVisitor& visit) {
  for (const PodRequest& pod : deployment.pods) {
    for (const Container& container : pod.containers) {
      if (container.engine) visit(pod, container, *container.engine);
    }
  }
}

std::optional<std::int64_t> whole_of(const EngineCall& call, std::string_view setting) {
  const EngineSetting* row = call.find(setting);
  if (row == nullptr) return std::nullopt;
  return number_in<std::int64_t>(row->value);
}

std::optional<double> real_of(const EngineCall& call, std::string_view setting) {
  const EngineSetting* row = call.find(setting);
  if (row == nullptr) return std::nullopt;
  return number_in<double>(row->value);
}

std::optional<std::int64_t> tokens_of(const EngineCall& call, std::string_view setting) {
  const EngineSetting* row = call.find(setting);
  if (row == nullptr || row->value.empty()) return std::nullopt;
  std::string_view text = row->value;
  double factor = 1;
  if (text.back() == 'k') factor = 1000;
  if (text.back() == 'K') factor = kKibibyte;
  if (factor > 1) text.remove_suffix(1);
  const auto number = number_in<double>(text);
  if (!number || *number < 0 || *number > 1e12) return std::nullopt;
  return std::llround(*number * factor);
}

std::optional<Ranks> ranks_of(const EngineCall& call) {
  if (call.is_split_elsewhere) return std::nullopt;
  const auto tensor = size_or_one(call, "tensor");
  const auto pipeline = size_or_one(call, "pipeline");
  const bool has_local = call.find("dataLocal") != nullptr;
  auto data = size_or_one(call, has_local ? "dataLocal" : "data");
  const auto nodes = size_or_one(call, "nodes");
  if (!tensor || !pipeline || !data || !nodes) return std::nullopt;
  // SGLang's data parallel attention shares the ranks of tensor parallel.
  const bool is_shared =
      call.engine == "sglang" && std::ranges::any_of(call.settings, [](const EngineSetting& row) {
        return row.flag == "--enable-dp-attention";
      });
  if (is_shared) data = 1;
  Ranks ranks{*tensor, *pipeline, *data, *nodes, nullptr};
  for (const EngineSetting& row : call.settings) {
    if (row.setting != "tensor" && row.setting != "pipeline" && row.setting != "data" &&
        row.setting != "dataLocal") {
      continue;
    }
    ranks.place = call.find(row.setting);
    break;
  }
  return ranks;
}

std::int64_t pods_of_instance(const PodRequest& pod, const Ranks& ranks) {
  const bool has_worker = pod.root != nullptr && pod.kind == "LLMInferenceService" &&
                          at(*pod.root, {"spec", "worker"}) != nullptr;
  return std::max({ranks.nodes, pod.pods_per_replica, has_worker ? ranks.pipeline : 1});
}

bool is_for_device(const GpuLayout& layout, const domain::Device& device) {
  return std::ranges::any_of(layout.device_filter, [&](std::string_view filter) {
    if (filter.starts_with("0x") || filter.starts_with("0X")) filter.remove_prefix(2);
    return std::ranges::any_of(device.pci_devices, [&](std::string_view id) {
      return filter.size() >= id.size() &&
             std::ranges::equal(filter.substr(0, id.size()), id,
                                [](char a, char b) { return (a | 0x20) == (b | 0x20); });
    });
  });
}

void each_request(const Deployment& deployment, const RequestVisitor& visit) {
  for (const Claim& claim : deployment.claims) {
    for (const ClaimRequest& request : claim.requests) {
      if (request.alternatives.empty()) visit(claim, request);
      for (const ClaimRequest& alternative : request.alternatives) visit(claim, alternative);
    }
  }
}

const DeviceMatch& match_devices(const Deployment& deployment, const ClaimRequest& request) {
  if (!deployment.matches) deployment.matches = std::make_shared<DeviceMatches>();
  auto& rows = deployment.matches->rows;
  std::string key = selection_key(request);
  const auto found = rows.find(key);
  if (found != rows.end()) return found->second;
  return rows.emplace(std::move(key), matched_devices(deployment, request)).first->second;
}

std::string names_of(const std::vector<const PublishedGpu*>& gpus) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (const PublishedGpu* gpu : gpus) {
    if (std::ranges::find(names, gpu->device.name()) == names.end()) {
      names.push_back(gpu->device.name());
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

std::optional<int> kubernetes_minor(const Deployment& deployment) {
  const std::string& text = deployment.request->kubernetes;
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return std::nullopt;
  return number_in<int>(std::string_view(text).substr(dot + 1));
}

std::optional<double> counted_gpus(const PodRequest& pod, const Container* container) {
  double count = 0;
  bool is_any = false;
  for (const GpuAsk& ask : pod.gpus) {
    if (ask.container != nullptr && container != nullptr && ask.container != container) continue;
    if (ask.kind == GrantKind::Claim && ask.claim == nullptr) return std::nullopt;
    if (ask.takes_all || ask.kind == GrantKind::HostDevice) return std::nullopt;
    is_any = true;
    count += ask.count;
  }
  if (!is_any) return std::nullopt;
  return count;
}

std::string SizedPod::gpu() const {
  if (capacity == nullptr) return {};
  return capacity->profile.empty() ? capacity->gpu
                                   : fmt::format("{} {}", capacity->gpu, capacity->profile);
}

document::Position SizedPod::place(std::string_view setting) const {
  const EngineSetting* row = call->find(setting);
  if (row != nullptr) return row->value_position;
  if (call->model_position.line > 0) return call->model_position;
  return call->position.line > 0 ? call->position : pod->place().position();
}

void each_estimated(const Deployment& deployment,
                    const std::function<void(const SizedPod&)>& visit) {
  if (!deployment.sizings) return;
  for (const PodRequest& pod : deployment.pods) {
    const Container* container = pod.engine_container();
    if (container == nullptr || !container->engine) continue;
    const Sizing& sizing = deployment.sizing(pod);
    if (!sizing.estimate || !sizing.model) continue;
    const domain::Estimate& estimate = *sizing.estimate;
    visit({&pod, &*container->engine, &sizing, &estimate,
           estimate.capacity ? &*estimate.capacity : nullptr});
  }
}

void each_sized(const Deployment& deployment, const std::function<void(const SizedPod&)>& visit) {
  each_estimated(deployment, [&](const SizedPod& sized) {
    if (sized.capacity != nullptr) visit(sized);
  });
}

std::int64_t attention_heads_of(const domain::Model& model) {
  for (const domain::LayerRun& run : model.layers) {
    if (run.layer.attention.heads > 0) return run.layer.attention.heads;
  }
  return 0;
}

std::int64_t least_kv_heads(const domain::Model& model) {
  std::int64_t least = 0;
  for (const domain::LayerRun& run : model.layers) {
    const domain::Attention& attention = run.layer.attention;
    const bool keeps = attention.heads > 0 && attention.kv_heads > 0 && !attention.latent &&
                       attention.kind != domain::LayerKind::None &&
                       attention.kind != domain::LayerKind::Recurrent;
    if (keeps) least = least == 0 ? attention.kv_heads : std::min(least, attention.kv_heads);
  }
  return least;
}

std::string quantity_text(double bytes) {
  const double gibi = bytes / kGibibyteSize;
  if (gibi >= 1 && std::floor(gibi) == gibi) return fmt::format("{:.0f}Gi", gibi);
  return fmt::format("{:.0f}Mi", bytes / kMebibyteSize);
}

std::string gib_text(double bytes) { return fmt::format("{:.1f} GiB", bytes / kGibibyteSize); }

}  // namespace gpushape::review
