// What kubectl prints: nodes with the labels of GPU feature discovery or HAMi's register, and the
// objects that kubernetes_slices and kubernetes_pods read. Source of the labels:
// NVIDIA/k8s-device-plugin docs/gpu-feature-discovery; of HAMi's annotation: Project-HAMi/HAMi
// docs/develop/protocol.
#include "inventory/kubernetes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "document/text_format.hpp"
#include "inventory/import.hpp"
#include "inventory/kubernetes_fields.hpp"
#include "inventory/quantity.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::GpuMode;

namespace {

constexpr int kMostGpusOfNode = 64;  // limits are ours
constexpr int kMostReplicas = 1024;
constexpr std::string_view kMachinePrefix = "vsphere://";

std::optional<int> count_of(const std::string& text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_count = !text.empty() && error == std::errc() && end == text.data() + text.size() &&
                        value >= 0 && value <= most;
  return is_count ? std::optional(value) : std::nullopt;
}

/// "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED": product, instance handed out as one GPU.
struct Product {
  std::string name;
  std::string instance;
};
Product product_of(std::string label) {
  constexpr std::string_view kShared = "-SHARED";
  constexpr std::string_view kInstance = "-MIG-";
  if (label.ends_with(kShared)) label.resize(label.size() - kShared.size());
  const std::size_t cut = label.find(kInstance);
  if (cut == std::string::npos) return {.name = std::move(label), .instance = {}};
  return {.name = label.substr(0, cut), .instance = label.substr(cut + kInstance.size())};
}

/// Instances that this many devices at least must have been cut into.
int devices_for(int instances, const std::string& profile) {
  int compute = 0;
  std::from_chars(profile.data(), profile.data() + profile.size(), compute);
  constexpr int kComputeSlices = 7;
  const int each = compute > 0 ? std::max(1, kComputeSlices / compute) : kComputeSlices;
  return (instances + each - 1) / each;
}

void read_labels(const Node& object, SeenHost& host, Diagnostics& faults,
                 const document::Source& source) {
  const std::string label = label_of(object, "nvidia.com/gpu.product");
  if (label.empty()) return;
  const Product product = product_of(label);
  const std::string counted = label_of(object, "nvidia.com/gpu.count");
  std::optional<int> count = count_of(counted, kMostGpusOfNode * kMostReplicas);
  if (!count) {
    faults.push_back(source.diagnostic(
        object.position(), fmt::format("{}: nvidia.com/gpu.count is '{}'", host.name, counted),
        "it stands beside nvidia.com/gpu.product where GPU feature discovery runs"));
    return;
  }
  host.replicas =
      std::max(count_of(label_of(object, "nvidia.com/gpu.replicas"), kMostReplicas).value_or(1), 1);
  host.unit_profile = product.instance;
  if (!product.instance.empty()) count = devices_for(*count, product.instance);
  bool is_cut = !product.instance.empty();
  if (label_of(object, "nvidia.com/mig.strategy") == "mixed") {
    const Node* const labels = at(object, "metadata.labels");
    is_cut = std::ranges::any_of(labels->entries(), [](const Node::Entry& entry) {
      return entry.name.starts_with("nvidia.com/mig-") && entry.name.ends_with(".count");
    });
  }
  const bool is_guest = label_of(object, "nvidia.com/vgpu.present") == "true";
  for (int i = 0; i < std::min(*count, kMostGpusOfNode); ++i) {
    SeenGpu gpu;
    gpu.name = fmt::format("gpu{}", i);
    gpu.product = product.name;
    gpu.modes = {is_cut ? GpuMode::Mig : GpuMode::Passthrough};
    gpu.span = host.span;
    if (is_guest) {
      gpu.kept_out = fmt::format("'{}' is a vGPU: its device is on the server below", product.name);
    }
    host.gpus.push_back(std::move(gpu));
  }
}

std::vector<std::string_view> cells_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// "UUID,split count,MiB,cores,type,NUMA node,health" for each GPU, joined by colons.
void read_register(const Node& object, SeenHost& host) {
  const std::string text = annotation_of(object, "hami.io/node-nvidia-register");
  if (text.empty() || text.front() == '[') return;
  std::vector<SeenGpu> gpus;
  for (const std::string_view row : cells_of(text, ':')) {
    const std::vector<std::string_view> cells = cells_of(row, ',');
    constexpr std::size_t kUpToHealth = 7;
    if (cells.size() < kUpToHealth || gpus.size() == kMostGpusOfNode) continue;
    SeenGpu gpu;
    gpu.name = fmt::format("gpu{}", gpus.size());
    gpu.uuid = cells[0];
    gpu.product = cells[4];
    // HAMi puts its own word in front: "NVIDIA-Tesla V100-PCIE-32GB".
    if (constexpr std::string_view kVendor = "NVIDIA-"; gpu.product.starts_with(kVendor)) {
      gpu.product.erase(0, kVendor.size());
    }
    gpu.numa_node = count_of(std::string(cells[5]), 1023);
    gpu.has_failed = cells[6] == "false";
    gpu.modes = {GpuMode::Passthrough};
    gpu.span = host.span;
    gpus.push_back(std::move(gpu));
  }
  if (gpus.empty()) return;
  host.gpus = std::move(gpus);
  host.gpus_are_complete = true;
}

std::string machine_of(const Node& object) {
  std::string id = text_at(object, "spec.providerID");
  if (!id.starts_with(kMachinePrefix)) return {};
  id.erase(0, kMachinePrefix.size());
  std::ranges::transform(id, id.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return id;
}

domain::HostState state_of(const Node& object) {
  if (const Node* const conditions = at(object, "status.conditions")) {
    for (const Node& condition : conditions->items()) {
      if (text_at(condition, "type") == "Ready" && text_at(condition, "status") != "True") {
        return domain::HostState::Failed;
      }
    }
  }
  return text_at(object, "spec.unschedulable") == "true" ? domain::HostState::Maintenance
                                                         : domain::HostState::Up;
}

}  // namespace

Diagnostics read_node(const Node& object, const document::Source& source, Seen& seen) {
  Diagnostics faults;
  SeenHost host;
  host.name = text_at(object, "metadata.name");
  host.span = source.span(object.position());
  if (host.name.empty()) return {source.diagnostic(object.position(), "a node without a name")};
  host.state = state_of(object);
  host.machine_id = machine_of(object);
  for (const std::string_view field : {"cpu", "memory"}) {
    const Node* const amount = at(object, fmt::format("status.allocatable.{}", field));
    const auto value = quantity_of(text_of(amount));
    constexpr double kMostCores = 1e6;
    constexpr double kMostBytes = 1125899906842624.0;  // a pebibyte
    if (!value || *value > (field == "cpu" ? kMostCores : kMostBytes)) {
      faults.push_back(
          source.diagnostic(amount == nullptr ? object.position() : amount->position(),
                            fmt::format("{}: status.allocatable.{} is '{}', which is no quantity",
                                        host.name, field, text_of(amount)),
                            "a quantity is a number with m, k, Ki, Mi, Gi … behind it"));
      continue;
    }
    if (field == "cpu") {
      host.millicores = std::llround(*value * static_cast<double>(domain::kMillicoresPerCore));
    } else {
      host.memory_bytes = Bytes(std::llround(*value));
    }
  }
  read_labels(object, host, faults, source);
  read_register(object, host);
  seen.hosts.push_back(std::move(host));
  return faults;
}

bool is_kubernetes(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  return head.find("apiVersion") != std::string_view::npos &&
         head.find("gpushape.dev/") == std::string_view::npos;
}

Diagnostics read_kubernetes(const ImportFile& file, Seen& seen) {
  const Result<std::vector<document::Document>> documents =
      document::read_any(file.text, file.name);
  if (!documents) return documents.error();
  Diagnostics faults;
  std::size_t known = 0;
  for (const document::Document& document : *documents) {
    std::vector<const Node*> objects;
    if (const Node* const items = document.root.find("items")) {
      for (const Node& item : items->items()) objects.push_back(&item);
    } else {
      objects.push_back(&document.root);
    }
    std::vector<const Node*> pods;
    for (const Node* const object : objects) {
      const std::string kind = text_at(*object, "kind");
      ++known;
      if (kind == "Node") {
        std::ranges::move(read_node(*object, *document.source, seen), std::back_inserter(faults));
      } else if (kind == "Pod") {
        pods.push_back(object);
      } else if (kind == "ResourceSlice") {
        read_resource_slice(*object, *document.source, seen);
      } else if (kind == "ResourceClaim") {
        read_resource_claim(*object, *document.source, seen);
      } else {
        --known;
      }
    }
    std::ranges::move(read_pods(pods, *document.source, seen), std::back_inserter(faults));
  }
  if (known == 0 && faults.empty()) {
    faults.push_back(documents->front().source->diagnostic(
        documents->front().root.position(), "holds no Node, Pod, ResourceSlice or ResourceClaim",
        "make it with kubectl get nodes,pods,resourceslices,resourceclaims -A -o json"));
  }
  return faults;
}

}  // namespace gpushape::inventory
