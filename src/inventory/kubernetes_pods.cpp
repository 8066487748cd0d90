// Pods and what they hold: whole GPUs, MIG instances and shares by the device plugin's resources,
// HAMi's annotations, fractions of KAI and Run:ai with their reservation pods. Source of the
// annotations: Project-HAMi/HAMi docs/develop/protocol; NVIDIA/KAI-Scheduler docs/gpu-sharing;
// run-ai/fake-gpu-operator internal/common/constants.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>

#include "inventory/kubernetes.hpp"
#include "inventory/kubernetes_fields.hpp"
#include "inventory/quantity.hpp"

namespace gpushape::inventory {

using document::Node;
using domain::GpuUse;

namespace {

constexpr std::string_view kGroupLabel = "runai-gpu-group";
constexpr std::string_view kReservedGpu = "run.ai/reserve_for_gpu_index";
constexpr std::string_view kInstance = "nvidia.com/mig-";
constexpr double kMostUnits = 1024;                 // ours: of one resource in one pod
constexpr double kMostAmount = 1125899906842624.0;  // a pebibyte
constexpr double kMostCores = 1e6;

using Amounts = std::map<std::string, double>;

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = !text.empty() && error == std::errc() &&
                         end == text.data() + text.size() && std::isfinite(value) && value >= 0;
  return is_number ? std::optional(value) : std::nullopt;
}

class PodReader {
 public:
  PodReader(const document::Source& source, Seen& seen) : source_(source), seen_(seen) {}

  Diagnostics run(const std::vector<const Node*>& pods) {
    for (const Node* const pod : pods) {
      const std::string gpu = annotation_of(*pod, kReservedGpu);
      if (!gpu.empty()) groups_[label_of(*pod, kGroupLabel)] = gpu;
    }
    for (const Node* const pod : pods) read(*pod);
    return std::move(faults_);
  }

 private:
  void read(const Node& pod) {
    const std::string phase = text_at(pod, "status.phase");
    SeenWorkload workload;
    workload.host = text_at(pod, "spec.nodeName");
    if (workload.host.empty() || phase == "Succeeded" || phase == "Failed") return;
    workload.team = text_at(pod, "metadata.namespace");
    workload.name = fmt::format("{}/{}", workload.team, text_at(pod, "metadata.name"));
    workload.span = source_.span(pod.position());
    workload.can_move = false;
    const Amounts amounts = requests_of(pod, workload.name);
    const auto amount = [&](const std::string& name) {
      const auto found = amounts.find(name);
      return found == amounts.end() ? 0.0 : found->second;
    };
    workload.millicores =
        std::llround(amount("cpu") * static_cast<double>(domain::kMillicoresPerCore));
    workload.memory_bytes = Bytes(std::llround(amount("memory")));
    if (!read_hami(pod, workload) && !read_fraction(pod, workload)) {
      read_resources(pod, amounts, workload);
    }
    seen_.workloads.push_back(std::move(workload));
  }

  /// Containers together, or the init container that asks for most; extended resources stand in the
  /// limits where there are no requests.
  Amounts requests_of(const Node& pod, const std::string& name) {
    Amounts sum;
    if (const Node* const containers = at(pod, "spec.containers")) {
      for (const Node& container : containers->items()) {
        for (const auto& [resource, amount] : requests_of_container(container, name)) {
          const double most = resource == "cpu" ? kMostCores : kMostAmount;
          sum[resource] = std::min(sum[resource] + amount, most);
        }
      }
    }
    if (const Node* const containers = at(pod, "spec.initContainers")) {
      for (const Node& container : containers->items()) {
        for (const auto& [resource, amount] : requests_of_container(container, name)) {
          sum[resource] = std::max(sum[resource], amount);
        }
      }
    }
    return sum;
  }

  Amounts requests_of_container(const Node& container, const std::string& pod) {
    Amounts amounts;
    for (const std::string_view list : {"resources.requests", "resources.limits"}) {
      const Node* const resources = at(container, list);
      if (resources == nullptr) continue;
      for (const Node::Entry& entry : resources->entries()) {
        const auto value = quantity_of(text_of(&entry.value));
        if (!value || *value > (entry.name == "cpu" ? kMostCores : kMostAmount)) {
          faults_.push_back(source_.diagnostic(
              entry.value.position(), fmt::format("{}: {} is '{}', which is no quantity", pod,
                                                  entry.name, text_of(&entry.value))));
          continue;
        }
        amounts.emplace(entry.name, *value);
      }
    }
    return amounts;
  }

  static std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
      const std::size_t end = text.find_first_of(separators);
      if (end != 0) parts.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return parts;
  }

  /// "UUID,NVIDIA,MiB,percent of cores" for each device, joined by colons, containers by
  /// semicolons.
  bool read_hami(const Node& pod, SeenWorkload& workload) {
    const std::string text = annotation_of(pod, "hami.io/vgpu-devices-allocated");
    for (const std::string_view row : split(text, ":;")) {
      const std::vector<std::string_view> cells = split(row, ",");
      constexpr std::size_t kCells = 4;
      if (cells.size() < kCells) continue;
      domain::SoftwareShare share{
          .holder = workload.name, .team = workload.team, .memory_bytes = {}, .fraction = {}};
      const auto mebibytes = number_of(cells[2]);
      if (mebibytes && *mebibytes > 0 && *mebibytes < 1e9) {
        share.memory_bytes = mib(std::llround(*mebibytes));
      }
      const auto percent = number_of(cells[3]);
      if (percent && *percent > 0 && *percent <= 100) share.fraction = *percent / 100;
      workload.holdings.push_back({.gpu = std::string(cells[0]), .share = std::move(share)});
    }
    return !workload.holdings.empty();
  }

  /// KAI and Run:ai: `gpu-fraction` of the device or `gpu-memory` in MiB, on the GPU that the
  /// reservation pod of the same group holds.
  bool read_fraction(const Node& pod, SeenWorkload& workload) {
    const auto fraction = number_of(annotation_of(pod, "gpu-fraction"));
    const auto mebibytes = number_of(annotation_of(pod, "gpu-memory"));
    if (!fraction && !mebibytes) return false;
    domain::SoftwareShare share{
        .holder = workload.name, .team = workload.team, .memory_bytes = {}, .fraction = {}};
    if (fraction && *fraction <= 1) share.fraction = *fraction;
    if (mebibytes && *mebibytes < 1e9) share.memory_bytes = mib(std::llround(*mebibytes));
    const auto group = groups_.find(label_of(pod, kGroupLabel));
    workload.holdings.push_back(
        {.gpu = group == groups_.end() ? std::string() : group->second, .share = std::move(share)});
    return true;
  }

  /// HAMi's resources before it has chosen devices.
  static std::optional<domain::SoftwareShare> wanted_share(const Amounts& amounts,
                                                           const SeenWorkload& workload) {
    const auto memory = amounts.find("nvidia.com/gpumem");
    const auto percent = amounts.find("nvidia.com/gpumem-percentage");
    const auto cores = amounts.find("nvidia.com/gpucores");
    if (memory == amounts.end() && percent == amounts.end() && cores == amounts.end()) {
      return std::nullopt;
    }
    domain::SoftwareShare share{
        .holder = workload.name, .team = workload.team, .memory_bytes = {}, .fraction = {}};
    if (memory != amounts.end() && memory->second < 1e9) {
      share.memory_bytes = mib(std::llround(memory->second));
    }
    if (percent != amounts.end() && percent->second <= 100) share.fraction = percent->second / 100;
    if (cores != amounts.end() && cores->second <= 100) share.fraction = cores->second / 100;
    return share;
  }

  void read_resources(const Node& pod, const Amounts& amounts, SeenWorkload& workload) {
    const auto share = wanted_share(amounts, workload);
    for (const auto& [resource, amount] : amounts) {
      SeenHolding holding;
      if (resource == "nvidia.com/gpu" || resource == "nvidia.com/gpu.shared") {
        holding.gpu = annotation_of(pod, kReservedGpu);
        holding.share = share;
      } else if (resource.starts_with(kInstance)) {
        holding.use = GpuUse::Mig;
        holding.profile = resource.substr(kInstance.size());
        // A resource name holds no plus sign: mig-1g.10gb.me is 1g.10gb+me.
        if (holding.profile.ends_with(".me")) {
          holding.profile.replace(holding.profile.size() - 3, 1, "+");
        }
      } else {
        continue;
      }
      const auto units = static_cast<int>(std::min(amount, kMostUnits));
      for (int i = 0; i < units; ++i) workload.holdings.push_back(holding);
    }
  }

  const document::Source& source_;
  Seen& seen_;
  Diagnostics faults_;
  std::map<std::string, std::string> groups_;  ///< group: GPU of its reservation pod
};

}  // namespace

Diagnostics read_pods(const std::vector<const Node*>& pods, const document::Source& source,
                      Seen& seen) {
  return PodReader(source, seen).run(pods);
}

}  // namespace gpushape::inventory
