#include "review/granted_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "domain/profile_memory.hpp"
#include "review/cel/selector.hpp"
#include "review/gpu_names.hpp"

namespace gpushape::review {

using document::Node;
using domain::Device;
using domain::Profile;

namespace {

struct ValueRow {
  std::string_view value;  ///< what the label's value begins with
  std::string_view device;
};

/// cloud.google.com/gke-accelerator: GKE, "GPU platforms".
constexpr auto kGke = std::to_array<ValueRow>({
    {"nvidia-tesla-t4", "t4"},
    {"nvidia-l4", "l4"},
    {"nvidia-a100-80gb", "a100-sxm4-80"},
    {"nvidia-tesla-a100", "a100-sxm4-40"},
    {"nvidia-h100-80gb", "h100-sxm-80"},
    {"nvidia-h100-mega-80gb", "h100-sxm-80"},
    {"nvidia-h200-141gb", "h200-sxm-141"},
    {"nvidia-b200", "b200-sxm-180"},
    {"nvidia-gb200", "gb200-186"},
    {"nvidia-rtx-pro-6000", "rtx-pro-6000-se"},
});

/// karpenter.k8s.aws/instance-gpu-name: Karpenter, well-known labels.
constexpr auto kKarpenter = std::to_array<ValueRow>({
    {"a10g", "a10g"},
    {"t4", "t4"},
    {"l4", "l4"},
    {"l40s", "l40s"},
    {"h100", "h100-sxm-80"},
    {"h200", "h200-sxm-141"},
    {"b200", "b200-sxm-180"},
});

/// node.kubernetes.io/instance-type: the machine types of AWS, Azure and Google Cloud.
constexpr auto kInstances = std::to_array<ValueRow>({
    {"p4d.", "a100-sxm4-40"},
    {"p4de.", "a100-sxm4-80"},
    {"p5.", "h100-sxm-80"},
    {"p5e.", "h200-sxm-141"},
    {"p5en.", "h200-sxm-141"},
    {"p6-b200.", "b200-sxm-180"},
    {"g4dn.", "t4"},
    {"g5.", "a10g"},
    {"g6.", "l4"},
    {"g6e.", "l40s"},
    {"a2-highgpu-", "a100-sxm4-40"},
    {"a2-megagpu-", "a100-sxm4-40"},
    {"a2-ultragpu-", "a100-sxm4-80"},
    {"a3-highgpu-", "h100-sxm-80"},
    {"a3-megagpu-", "h100-sxm-80"},
    {"a3-ultragpu-", "h200-sxm-141"},
    {"a4-highgpu-", "b200-sxm-180"},
    {"g2-standard-", "l4"},
    {"Standard_ND96asr_v4", "a100-sxm4-40"},
    {"Standard_ND96amsr_A100_v4", "a100-sxm4-80"},
    {"Standard_NC24ads_A100_v4", "a100-pcie-80"},
    {"Standard_NC48ads_A100_v4", "a100-pcie-80"},
    {"Standard_NC96ads_A100_v4", "a100-pcie-80"},
    {"Standard_ND96isr_H100_v5", "h100-sxm-80"},
    {"Standard_NC40ads_H100_v5", "h100-nvl-94"},
    {"Standard_NC80adis_H100_v5", "h100-nvl-94"},
    {"Standard_ND96isr_H200_v5", "h200-sxm-141"},
});

struct LabelRow {
  std::string_view label;
  std::span<const ValueRow> values;
};
constexpr auto kLabels = std::to_array<LabelRow>({
    {"cloud.google.com/gke-accelerator", kGke},
    {"karpenter.k8s.aws/instance-gpu-name", kKarpenter},
    {"node.kubernetes.io/instance-type", kInstances},
    {"beta.kubernetes.io/instance-type", kInstances},
});
constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";

const Device* device_of_id(std::string_view id, std::span<const Device> devices) {
  const auto found = std::ranges::find(devices, id, &Device::id);
  return found == devices.end() ? nullptr : &*found;
}

/// An id, or an alias that means one device alone.
const Device* device_named(std::string_view name, std::span<const Device> devices) {
  if (const Device* found = device_of_id(name, devices)) return found;
  const Device* found = nullptr;
  for (const Device& device : devices) {
    if (std::ranges::find(device.aliases, name) == device.aliases.end()) continue;
    if (found != nullptr) return nullptr;
    found = &device;
  }
  return found;
}

/// As GPU feature discovery writes a product into a label: blanks are dashes.
std::string as_label(std::string_view product) {
  std::string label(product);
  std::ranges::replace(label, ' ', '-');
  return label;
}

const Profile* instance_named(const Device& device, std::string_view name) {
  for (const Profile& profile : device.profiles) {
    if (profile.technology == domain::Technology::Mig && profile.short_name == name) {
      return &profile;
    }
  }
  return nullptr;
}

/// "GRID-A100-10C": a vGPU of that type, as a guest's node shows it.
GrantedGpu guest_gpu(std::string_view product, std::span<const Device> devices) {
  for (const Device& device : devices) {
    for (const Profile& profile : device.profiles) {
      if (profile.technology == domain::Technology::Mig) continue;
      if (as_label(domain::guest_product(profile)) == product) return {&device, &profile, {}, {}};
    }
  }
  return {};
}

GrantedGpu gpu_of_product(std::string_view value, std::span<const Device> devices) {
  constexpr std::string_view kShared = "-SHARED";
  constexpr std::string_view kInstance = "-MIG-";
  if (value.ends_with(kShared)) value.remove_suffix(kShared.size());
  const std::size_t mig = value.find(kInstance);
  const std::string_view product = value.substr(0, mig);
  const Device* found = nullptr;
  for (const Device& device : devices) {
    for (const std::string& name : device.product_names) {
      // Two devices may share a name ("NVIDIA-H100"): the smaller is taken.
      if (as_label(name) == product &&
          (found == nullptr || device.nominal_gb < found->nominal_gb)) {
        found = &device;
      }
    }
  }
  if (found == nullptr) return guest_gpu(product, devices);
  const Profile* profile = mig == std::string_view::npos
                               ? nullptr
                               : instance_named(*found, value.substr(mig + kInstance.size()));
  return {found, profile, {}, {}};
}

void add(GrantedGpu gpu, std::string from, std::vector<GrantedGpu>& gpus) {
  if (gpu.device == nullptr) return;
  const bool is_there = std::ranges::any_of(gpus, [&](const GrantedGpu& other) {
    return other.device == gpu.device && other.profile == gpu.profile;
  });
  if (is_there) return;
  gpu.from = std::move(from);
  gpus.push_back(std::move(gpu));
}

/// What the nodes of the pod have, whatever the part it asks for.
std::vector<GrantedGpu> node_gpus(const PodRequest& pod, const ReviewRequest& request) {
  std::vector<GrantedGpu> gpus;
  for (const DemandedLabel& row : demanded_labels(pod)) {
    add(gpu_of_label(row.label, row.value, request.devices), row.from, gpus);
  }
  const bool is_each_known = std::ranges::all_of(pod.gpu_names, [&](const NamedText& row) {
    return device_of_short_name(row.value, request.devices) != nullptr;
  });
  for (const NamedText& row : pod.gpu_names) {
    if (!is_each_known) break;  // the unknown one may be the largest
    add({device_of_short_name(row.value, request.devices), nullptr, {}, {}}, row.name, gpus);
  }
  if (!gpus.empty()) return gpus;
  if (const NamedText* row = pod.annotation("gpushape.dev/gpu")) {
    add({device_named(row->value, request.devices), nullptr, {}, {}}, "annotation gpushape.dev/gpu",
        gpus);
  }
  if (const NamedText* row = pod.annotation("nvidia.com/use-gputype")) {  // HAMi
    add(gpu_of_product(as_label(row->value), request.devices), "annotation nvidia.com/use-gputype",
        gpus);
  }
  if (!gpus.empty()) return gpus;
  for (const std::string& name : request.gpus) {
    add({device_named(name, request.devices), nullptr, {}, {}}, "--gpu", gpus);
  }
  if (!gpus.empty() || request.cluster == nullptr) return gpus;
  for (const domain::ClusterHost& host : request.cluster->hosts) {
    for (const domain::Gpu& gpu : host.gpus) {
      add({device_of_id(gpu.device, request.devices), nullptr, {}, {}}, "--cluster", gpus);
    }
  }
  return gpus;
}

std::vector<GrantedGpu> claimed_gpus(const ClaimRequest& request, PublishedTable& published) {
  std::vector<GrantedGpu> gpus;
  const ClaimRequest& first = request.alternatives.empty() ? request : request.alternatives.front();
  if (!first.device_class) return gpus;
  for (const PublishedGpu* gpu : published.selected(first)) {
    add({gpu->product, gpu->profile, {}, {}}, "the selectors of the claim", gpus);
  }
  return gpus;
}

Bytes memory_of(const GrantedGpu& gpu) {
  const Bytes bytes = domain::usable_bytes(*gpu.device, gpu.profile);
  return gpu.limit ? std::min(*gpu.limit, bytes) : bytes;
}

/// The part of each GPU that the pod asked for.
std::vector<GrantedGpu> parts_of(std::vector<GrantedGpu> gpus, const GpuAsk& ask) {
  std::vector<GrantedGpu> parts;
  for (GrantedGpu& gpu : gpus) {
    if (ask.kind == GrantKind::MigInstance && gpu.profile == nullptr) {
      gpu.profile = instance_named(*gpu.device, ask.profile);
      if (gpu.profile == nullptr) continue;
    }
    if (ask.memory_bytes) gpu.limit = ask.memory_bytes;
    if (ask.fraction) {
      const auto whole = static_cast<double>(gpu.device->visible_bytes.expected.count());
      gpu.limit = Bytes(static_cast<std::int64_t>(whole * *ask.fraction));
    }
    parts.push_back(std::move(gpu));
  }
  return parts;
}

/// A MIG profile's name alone leaves few devices.
std::vector<GrantedGpu> devices_with_instance(const GpuAsk& ask, std::span<const Device> devices) {
  std::vector<GrantedGpu> gpus;
  for (const Device& device : devices) {
    if (const Profile* profile = instance_named(device, ask.profile)) {
      add({&device, profile, {}, {}}, fmt::format("the resource {}", ask.resource), gpus);
    }
  }
  return gpus;
}

/// "NVIDIA_L40S-24Q", "GRID_A100-10C", "GA100_A100_PCIE_80GB" of KubeVirt's device plugin.
std::vector<GrantedGpu> named_vgpus(const GpuAsk& ask, std::span<const Device> devices) {
  std::vector<GrantedGpu> gpus;
  for (const Device& device : devices) {
    for (const Profile& profile : device.profiles) {
      std::string name = domain::guest_product(profile);
      std::ranges::replace(name, ' ', '_');
      if (name == ask.profile) {
        add({&device, &profile, {}, {}}, fmt::format("the device {}", ask.resource), gpus);
      }
    }
  }
  return gpus;
}

}  // namespace

std::vector<DemandedLabel> demanded_labels(const PodRequest& pod) {
  std::vector<DemandedLabel> rows;
  rows.reserve(pod.node_selector.size());
  for (const NamedText& row : pod.node_selector) {
    rows.push_back({row.name, row.value, "node selector " + row.name});
  }
  if (pod.affinity == nullptr) return rows;
  const Node* terms =
      at(*pod.affinity,
         {"nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  if (terms == nullptr) return rows;
  for (const Node& term : terms->items()) {
    const Node* expressions = term.find("matchExpressions");
    if (expressions == nullptr) continue;
    for (const Node& expression : expressions->items()) {
      const Node* key = expression.find("key");
      const Node* values = expression.find("values");
      if (key == nullptr || values == nullptr || word_at(expression, {"operator"}) != "In") {
        continue;
      }
      for (const Node& value : values->items()) {
        rows.push_back({key->text(), word_of(value), "node affinity " + key->text()});
      }
    }
  }
  return rows;
}

GrantedGpu gpu_of_label(std::string_view label, std::string_view value,
                        std::span<const Device> devices) {
  if (label == kProductLabel) return gpu_of_product(value, devices);
  const auto row = std::ranges::find(kLabels, label, &LabelRow::label);
  if (row == kLabels.end()) return {};
  for (const ValueRow& each : row->values) {
    const bool is_it = row->values.data() == kKarpenter.data() ? value == each.value
                                                               : value.starts_with(each.value);
    if (is_it) return {device_of_id(each.device, devices), nullptr, {}, {}};
  }
  return {};
}

std::vector<GrantedGpu> granted_gpus(const PodRequest& pod, const ReviewRequest& request,
                                     PublishedTable& published) {
  if (pod.gpus.empty()) return {};
  const GpuAsk& ask = pod.gpus.front();
  std::vector<GrantedGpu> gpus;
  if (ask.request != nullptr) gpus = claimed_gpus(*ask.request, published);
  if (ask.kind == GrantKind::VirtualGpu) gpus = named_vgpus(ask, request.devices);
  if (gpus.empty()) gpus = parts_of(node_gpus(pod, request), ask);
  if (gpus.empty() && ask.kind == GrantKind::MigInstance) {
    gpus = devices_with_instance(ask, request.devices);
  }
  std::ranges::stable_sort(gpus, {}, memory_of);
  return gpus;
}

}  // namespace gpushape::review
