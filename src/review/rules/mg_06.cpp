// MG-06: several GPUs for one instance are whole ones. A GPU in MIG mode has no NVLink and no
// peers, and one that holds fractions is not free as a whole (F. Denneman, MIG; NVIDIA AI
// Enterprise, NVIDIA NVSwitch; NVIDIA gpu-operator, MIG manager: the layouts that it installs).
#include <fmt/format.h>

#include <algorithm>

#include "review/granted_gpus.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kMigConfigLabel = "nvidia.com/mig.config";

/// Several whole GPUs on one node for one pod.
const GpuAsk* group_ask(const PodRequest& pod) {
  const auto is_group = [](const GpuAsk& ask) {
    return ask.kind == GrantKind::Plugin && ask.count >= 2 && !ask.takes_all;
  };
  const auto found = std::ranges::find_if(pod.gpus, is_group);
  return found == pod.gpus.end() ? nullptr : &*found;
}

const domain::Device* product_behind(const Deployment& deployment, const PodRequest& pod) {
  if (!deployment.sizings) return nullptr;
  const Sizing& sizing = deployment.sizing(pod);
  return sizing.gpus.empty() ? nullptr : sizing.gpus.front().device;
}

/// A name of the MIG manager's own list cuts every GPU that can be ("all-1g.10gb", "all-balanced"),
/// all but one.
bool cuts_by_name(std::string_view name) {
  return name.starts_with("all-") && name != "all-disabled";
}

/// Whether a node under that layout has fewer than `gpus` whole GPUs left; a list of positions
/// counts, "all" is all or none.
bool cuts_too_many(const LayoutConfig& config, const domain::Device* product, double gpus) {
  double whole = 0;
  bool has_cut = false;
  for (const GpuLayout& layout : config.layouts) {
    if (product != nullptr && !layout.device_filter.empty() && !is_for_device(layout, *product)) {
      continue;
    }
    if (layout.is_enabled) {
      has_cut = true;
    } else if (layout.devices.empty()) {
      return false;
    } else {
      whole += static_cast<double>(layout.devices.size());
    }
  }
  return has_cut && whole < gpus;
}

/// Why nodes with that layout have no group; empty where they may.
std::string cut_under(const Deployment& deployment, const std::string& name,
                      const domain::Device* product, double gpus) {
  if (name.empty() || (product != nullptr && !product->supports_mig)) return {};
  for (const LayoutConfig& config : deployment.layouts) {
    if (config.is_vgpu || config.name != name) continue;
    return cuts_too_many(config, product, gpus)
               ? fmt::format("layout {} leaves fewer than {:g} GPUs whole", name, gpus)
               : std::string();
  }
  return cuts_by_name(name) ? fmt::format("layout {} puts every GPU in MIG mode", name)
                            : std::string();
}

/// What the pod's own demands, or the GPU Operator's default, make of its nodes.
std::string cut_of_nodes(const Deployment& deployment, const PodRequest& pod, double gpus) {
  const domain::Device* product = product_behind(deployment, pod);
  bool is_chosen = false;
  for (const DemandedLabel& row : demanded_labels(pod)) {
    if (row.label == "nvidia.com/gpu.product" && row.value.contains("-MIG-")) {
      return fmt::format("{} is {}: each of them is a MIG instance", row.from, row.value);
    }
    if (row.label != kMigConfigLabel) continue;
    is_chosen = true;
    const std::string cut = cut_under(deployment, row.value, product, gpus);
    if (!cut.empty()) return fmt::format("{}: {}", row.from, cut);
  }
  if (is_chosen) return {};
  for (const OperatorPolicy& policy : deployment.operator_policies) {
    const std::string cut = cut_under(deployment, policy.mig_config, product, gpus);
    if (!cut.empty()) return fmt::format("migManager.config.default of {}: {}", policy.name, cut);
  }
  return {};
}

struct HostUse {
  std::int64_t gpus = 0;
  std::int64_t in_mig_mode = 0;
  std::int64_t with_fractions = 0;

  [[nodiscard]] std::int64_t whole() const { return gpus - in_mig_mode - with_fractions; }
};

bool is_mig_only(const domain::Gpu& gpu) {
  if (gpu.mode) return *gpu.mode == domain::GpuMode::Mig;
  return gpu.allowed_modes == std::vector{domain::GpuMode::Mig};
}

/// A vGPU as large as the GPU, or the GPU itself, is no fraction.
bool has_fraction(const domain::Gpu& gpu, const domain::Device& product) {
  if (!gpu.shares.empty()) return true;
  return std::ranges::any_of(gpu.allocations, [&](const domain::GpuAllocation& row) {
    return std::ranges::any_of(product.profiles, [&](const domain::Profile& profile) {
      return profile.short_name == row.profile && !profile.is_full_size;
    });
  });
}

HostUse use_of(const domain::ClusterHost& host, const domain::Device& product) {
  HostUse use;
  for (const domain::Gpu& gpu : host.gpus) {
    if (gpu.device != product.id || gpu.has_failed) continue;
    ++use.gpus;
    if (is_mig_only(gpu)) {
      ++use.in_mig_mode;
    } else if (has_fraction(gpu, product)) {
      ++use.with_fractions;
    }
  }
  return use;
}

/// Why no host has so many whole GPUs, full as they may be; empty where one has, or where none has
/// so many at all.
std::string cut_of_hosts(const Deployment& deployment, const domain::Device& product,
                         std::int64_t gpus) {
  const auto hosts = hosts_with(deployment, product, gpus);
  std::string text;
  for (const domain::ClusterHost* host : hosts) {
    const HostUse use = use_of(*host, product);
    if (use.whole() >= gpus) return {};
    if (!text.empty()) continue;
    text = fmt::format("of {} GPUs on {} {} are in MIG mode and {} hold fractions", use.gpus,
                       host->name, use.in_mig_mode, use.with_fractions);
  }
  if (hosts.size() > 1) text += fmt::format(", and no other of {} hosts has more", hosts.size());
  return text;
}

void check_group_pod(const Deployment& deployment, const PodRequest& pod, Report& report) {
  const GpuAsk* ask = group_ask(pod);
  if (ask == nullptr) return;
  std::string cut = cut_of_nodes(deployment, pod, ask->count);
  const domain::Device* product = product_behind(deployment, pod);
  if (cut.empty() && product != nullptr) {
    cut = cut_of_hosts(deployment, *product, static_cast<std::int64_t>(ask->count));
  }
  if (cut.empty()) return;
  report.add(*pod.document, ask->node != nullptr ? *ask->node : pod.place(),
             {.message = fmt::format("{} asks for {:g} whole GPUs, and {}", pod.title(), ask->count,
                                     cut)});
}

}  // namespace

void mg_06(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) check_group_pod(deployment, pod, report);
  for (const VmClass& vm : deployment.vm_classes) {
    const std::int64_t gpus = gpus_of(vm);
    const domain::Device* product = product_of(vm);
    if (gpus < 2 || product == nullptr) continue;
    const std::string cut = cut_of_hosts(deployment, *product, gpus);
    if (cut.empty()) continue;
    report.add(*vm.document, *vm.devices.front().node,
               {.message = fmt::format("{} takes {} whole GPUs, and {}", title_of(vm), gpus, cut)});
  }
}

}  // namespace gpushape::review::rules_of
