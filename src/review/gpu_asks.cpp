#include "review/gpu_asks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "review/quantity.hpp"

namespace gpushape::review {

namespace {

constexpr std::string_view kMig = "nvidia.com/mig-";
constexpr std::string_view kWholeGpu = "nvidia.com/gpu";
constexpr double kMostDevices = 4096;  // ours: of one container
constexpr double kMostBytes = 1e18;

// Other vendors' device plugins: ROCm/k8s-device-plugin, intel/intel-device-plugins-for-kubernetes,
// Habana, cloud TPUs.
constexpr auto kOtherVendors = std::to_array<std::string_view>(
    {"amd.com/", "gpu.intel.com/", "habana.ai/", "google.com/tpu", "aws.amazon.com/neuron",
     "huawei.com/Ascend", "cambricon.com/", "hygon.com/dcunum", "metax-tech.com/gpu"});

struct Share {
  std::string_view resource;
  enum class Means { Count, MemoryMib, MemoryPercent, CorePercent, Other } means;
  GrantKind kind;
};
// Project-HAMi, docs/userguide; volcano-sh/devices, vGPU.
constexpr auto kShares = std::to_array<Share>({
    {"nvidia.com/gpumem", Share::Means::MemoryMib, GrantKind::Hami},
    {"nvidia.com/gpumem-percentage", Share::Means::MemoryPercent, GrantKind::Hami},
    {"nvidia.com/gpucores", Share::Means::CorePercent, GrantKind::Hami},
    {"nvidia.com/priority", Share::Means::Other, GrantKind::Hami},
    {"volcano.sh/vgpu-number", Share::Means::Count, GrantKind::Volcano},
    {"volcano.sh/vgpu-memory", Share::Means::MemoryMib, GrantKind::Volcano},
    {"volcano.sh/vgpu-memory-percentage", Share::Means::MemoryPercent, GrantKind::Volcano},
    {"volcano.sh/vgpu-cores", Share::Means::CorePercent, GrantKind::Volcano},
});

/// The amounts of a container that count: limits, and requests that no limit repeats.
std::vector<const ResourceAmount*> counted(const Container& container) {
  std::vector<const ResourceAmount*> rows;
  for (const ResourceAmount& row : container.limits) rows.push_back(&row);
  for (const ResourceAmount& row : container.requests) {
    if (container.limit(row.name) == nullptr) rows.push_back(&row);
  }
  return rows;
}

double count_of(const ResourceAmount& row) {
  return std::clamp(row.amount.value_or(0), 0.0, kMostDevices);
}

/// A GPU that KubeVirt's device plugin names after its product: "nvidia.com/GA102GL_A10",
/// "nvidia.com/NVIDIA_L40S-24Q".
bool is_product_resource(std::string_view resource) {
  constexpr std::string_view kVendor = "nvidia.com/";
  if (!resource.starts_with(kVendor)) return false;
  const std::string_view rest = resource.substr(kVendor.size());
  return !rest.empty() && rest.front() >= 'A' && rest.front() <= 'Z';
}

std::optional<GpuAsk> plain_ask(const Container& container, const ResourceAmount& row) {
  GpuAsk ask;
  ask.container = &container;
  ask.resource = row.name;
  ask.count = count_of(row);
  ask.node = row.node;
  if (ask.count <= 0) return std::nullopt;
  if (row.name == kWholeGpu) return ask;
  if (row.name == "nvidia.com/gpu.shared") {
    ask.kind = GrantKind::PluginShare;
    return ask;
  }
  if (row.name.starts_with(kMig)) {
    ask.kind = GrantKind::MigInstance;
    ask.profile = row.name.substr(kMig.size());
    return ask;
  }
  if (is_product_resource(row.name)) {
    ask.kind = GrantKind::VirtualGpu;
    ask.profile = row.name.substr(row.name.find('/') + 1);
    return ask;
  }
  const bool is_other = std::ranges::any_of(
      kOtherVendors, [&](std::string_view prefix) { return row.name.starts_with(prefix); });
  if (!is_other) return std::nullopt;
  ask.kind = GrantKind::Extended;
  return ask;
}

void take_share(const Share& share, double amount, GpuAsk& ask) {
  switch (share.means) {
    case Share::Means::Count:
      ask.count = std::clamp(amount, 0.0, kMostDevices);
      break;
    case Share::Means::MemoryMib:
      ask.memory_bytes =
          Bytes(static_cast<std::int64_t>(std::clamp(amount * 1024 * 1024, 0.0, kMostBytes)));
      break;
    case Share::Means::MemoryPercent:
      ask.fraction = std::clamp(amount / 100, 0.0, 1.0);
      break;
    case Share::Means::CorePercent:
      ask.core_percent = std::clamp(amount, 0.0, 100.0);
      break;
    case Share::Means::Other:
      break;
  }
}

/// One ask out of the several resources that describe a share.
std::optional<GpuAsk> share_ask(const Container& container,
                                const std::vector<const ResourceAmount*>& rows, GrantKind kind) {
  std::optional<GpuAsk> ask;
  for (const ResourceAmount* row : rows) {
    const auto share = std::ranges::find(kShares, row->name, &Share::resource);
    if (share == kShares.end() || share->kind != kind) continue;
    if (!ask) {
      ask.emplace();
      ask->kind = kind;
      ask->container = &container;
      ask->resource = row->name;
      ask->node = row->node;
    }
    take_share(*share, row->amount.value_or(0), *ask);
    if (share->means == Share::Means::MemoryMib || share->means == Share::Means::MemoryPercent) {
      ask->resource = row->name;
      ask->node = row->node;
    }
  }
  return ask;
}

void take_container(const Container& container, PodRequest& pod) {
  const auto rows = counted(container);
  std::optional<GpuAsk> hami = share_ask(container, rows, GrantKind::Hami);
  for (const ResourceAmount* row : rows) {
    if (hami && row->name == kWholeGpu) {
      hami->count = count_of(*row);
      continue;
    }
    if (auto ask = plain_ask(container, *row)) pod.gpus.push_back(std::move(*ask));
  }
  if (hami) pod.gpus.push_back(std::move(*hami));
  if (auto volcano = share_ask(container, rows, GrantKind::Volcano)) {
    pod.gpus.push_back(std::move(*volcano));
  }
}

/// A request by its name within the claim: "gpu", or "gpu/h100" for an alternative.
bool is_meant(const ClaimRequest& request, std::string_view use) {
  return use.empty() || request.name == use.substr(0, use.find('/'));
}

void take_claim(const Container* container, const document::Node* node, const Claim& claim,
                std::string_view use, PodRequest& pod) {
  for (const ClaimRequest& request : claim.requests) {
    if (!is_meant(request, use)) continue;
    const bool is_taken =
        std::ranges::any_of(pod.gpus, [&](const GpuAsk& ask) { return ask.request == &request; });
    if (is_taken) continue;
    const ClaimRequest& first =
        request.alternatives.empty() ? request : request.alternatives.front();
    GpuAsk ask;
    ask.kind = GrantKind::Claim;
    ask.container = container;
    ask.resource = first.device_class ? first.device_class->value : std::string();
    if (meaning_of_class(ask.resource) == ClassMeaning::ComputeDomain) continue;
    ask.count = static_cast<double>(std::min<std::int64_t>(first.count, 4096));
    ask.takes_all = first.takes_all;
    ask.node = node;
    ask.claim = &claim;
    ask.request = &request;
    pod.gpus.push_back(std::move(ask));
  }
}

void take_claims(const Deployment& deployment, const Container& container, PodRequest& pod) {
  for (const ClaimUse& use : container.claims) {
    const PodClaim* named = pod.pod_claim(use.claim);
    if (named == nullptr) continue;
    const bool is_template = named->claim_template.has_value();
    const auto& reference = is_template ? named->claim_template : named->claim;
    if (!reference) continue;
    const Claim* claim = deployment.find_claim(reference->value, pod.name_space, is_template);
    if (claim != nullptr) {
      take_claim(&container, use.node, *claim, use.request, pod);
      continue;
    }
    GpuAsk ask;
    ask.kind = GrantKind::Claim;
    ask.container = &container;
    ask.node = use.node;
    pod.gpus.push_back(std::move(ask));
  }
}

std::optional<double> number_in(const NamedText* text) {
  if (text == nullptr) return std::nullopt;
  double value = 0;
  const char* const end = text->value.data() + text->value.size();
  const auto [rest, error] = std::from_chars(text->value.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// KAI and Run:ai: annotations of the pod (docs/gpu-sharing of KAI-Scheduler).
void take_annotations(PodRequest& pod) {
  const NamedText* fraction = pod.annotation("gpu-fraction");
  const NamedText* memory = pod.annotation("gpu-memory");
  const NamedText* written = fraction != nullptr ? fraction : memory;
  if (written == nullptr) return;
  GpuAsk ask;
  ask.kind = GrantKind::Kai;
  ask.resource = written->name;
  ask.node = written->node;
  if (const auto value = number_in(fraction); value && *value > 0 && *value <= 1) {
    ask.fraction = value;
  }
  if (const auto value = number_in(memory); value && *value > 0 && *value < 1e9) {
    ask.memory_bytes = Bytes(static_cast<std::int64_t>(*value) * 1024 * 1024);
  }
  if (const auto count = number_in(pod.annotation("gpu-fraction-num-devices"))) {
    ask.count = std::clamp(*count, 1.0, kMostDevices);
  }
  pod.gpus.push_back(std::move(ask));
}

/// KubeVirt: `domain.devices.gpus[]` by the name of a device or by a claim.
void take_vm_devices(const Deployment& deployment, PodRequest& pod) {
  const document::Node* devices =
      pod.spec == nullptr ? nullptr : at(*pod.spec, {"domain", "devices"});
  if (devices == nullptr) return;
  for (const std::string_view list : {"gpus", "hostDevices"}) {
    const document::Node* rows = devices->find(list);
    if (rows == nullptr) continue;
    for (const document::Node& row : rows->items()) {
      if (const auto named = text_at(row, {"deviceName"})) {
        if (list == "hostDevices" && !is_gpu_resource(named->value)) continue;
        GpuAsk ask;
        ask.kind = GrantKind::VirtualGpu;
        ask.resource = named->value;
        ask.profile = named->value.substr(named->value.find('/') + 1);
        ask.node = named->node;
        pod.gpus.push_back(std::move(ask));
        continue;
      }
      const PodClaim* claim = pod.pod_claim(word_at(row, {"claimName"}));
      if (claim == nullptr) continue;
      const bool is_template = claim->claim_template.has_value();
      const auto& reference = is_template ? claim->claim_template : claim->claim;
      const Claim* found =
          reference ? deployment.find_claim(reference->value, pod.name_space, is_template)
                    : nullptr;
      if (found != nullptr) {
        take_claim(nullptr, &row, *found, word_at(row, {"requestName"}), pod);
      }
    }
  }
}

}  // namespace

bool is_gpu_resource(std::string_view resource) {
  const auto begins = [resource](std::string_view prefix) { return resource.starts_with(prefix); };
  return resource == kWholeGpu || resource == "nvidia.com/gpu.shared" || begins(kMig) ||
         is_product_resource(resource) ||
         std::ranges::find(kShares, resource, &Share::resource) != kShares.end() ||
         std::ranges::any_of(kOtherVendors, begins);
}

void take_gpu_asks(Deployment& deployment) {
  for (PodRequest& pod : deployment.pods) {
    for (const Container& container : pod.containers) {
      if (container.is_init) continue;
      take_container(container, pod);
      take_claims(deployment, container, pod);
    }
    take_annotations(pod);
    take_vm_devices(deployment, pod);
  }
}

}  // namespace gpushape::review
