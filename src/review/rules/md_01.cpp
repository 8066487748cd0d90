// MD-01: hard isolation is kept by hardware. A MIG instance has its own path to memory and its own
// faults; time slices and shares that software keeps have neither (F. Denneman, How vSphere DRS
// Makes GPU Placement Decisions, GPU Mode; NVIDIA AI Enterprise, vGPU modes).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kIsolationNote = "gpushape.dev/isolation";

/// Sharing libraries that cut the card into MIG instances are told so on the pod (Project-HAMi/HAMi
/// docs/dynamic-mig-support.md; volcano-sh/volcano-vgpu-device-plugin).
constexpr auto kShareModes =
    std::to_array<std::string_view>({"nvidia.com/vgpu-mode", "volcano.sh/vgpu-mode"});

/// Whether a library's share is a MIG instance, or the whole card.
bool is_cut_by_hardware(const PodRequest& pod, const GpuAsk& ask) {
  if (ask.fraction && *ask.fraction >= 1) return true;
  return std::ranges::any_of(kShareModes, [&](std::string_view mode) {
    const NamedText* note = pod.annotation(mode);
    return note != nullptr && note->value == "mig";
  });
}

/// What keeps the share, where it is not hardware; empty where it is.
std::string soft_share(const Deployment& deployment, const PodRequest& pod, const GpuAsk& ask) {
  switch (ask.kind) {
    case GrantKind::PluginShare:
      return "a replica of the device plugin";
    case GrantKind::Hami:
    case GrantKind::Volcano:
      if (is_cut_by_hardware(pod, ask)) return {};
      return ask.memory_bytes || ask.fraction ? "a share that a library keeps" : std::string();
    case GrantKind::Kai:
      if (is_cut_by_hardware(pod, ask)) return {};
      return ask.memory_bytes || ask.fraction ? "a share that the scheduler books" : std::string();
    case GrantKind::VirtualGpu:
      break;
    default:
      return {};
  }
  if (!deployment.sizings) return {};
  const Sizing& sizing = deployment.sizing(pod);
  const bool is_sliced = !sizing.gpus.empty() && sizing.gpus.front().profile != nullptr &&
                         sizing.gpus.front().profile->technology == domain::Technology::TimeSliced;
  return is_sliced ? "a time-sliced vGPU" : std::string();
}

}  // namespace

void md_01(const Deployment& deployment, Report& report) {
  const domain::Workload* workload = deployment.request->workload;
  const bool is_stated =
      workload != nullptr && workload->isolation.value == domain::Isolation::Hard;
  for (const PodRequest& pod : deployment.pods) {
    const NamedText* note = pod.annotation(kIsolationNote);
    if (!is_stated && (note == nullptr || note->value != "hard")) continue;
    for (const GpuAsk& ask : pod.gpus) {
      const std::string share = soft_share(deployment, pod, ask);
      if (share.empty()) continue;
      report.add(
          *pod.document, ask.node != nullptr ? *ask.node : pod.place(),
          {.message = fmt::format("{} is to be isolated hard and takes {}", pod.title(), share)});
      break;
    }
  }
  for (const VmClass& vm : deployment.vm_classes) {
    if (!is_stated && vm.annotation(kIsolationNote) != "hard") continue;
    for (const VmDevice& device : vm.devices) {
      const domain::Profile* profile = profile_of_device(device);
      if (profile == nullptr || profile->technology != domain::Technology::TimeSliced) continue;
      report.add(*vm.document, *device.node,
                 {.message = fmt::format("{} is to be isolated hard and takes {}, a time-sliced "
                                         "vGPU",
                                         title_of(vm), device.profile)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
