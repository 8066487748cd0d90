// MF-10: a share of a GPU that something keeps. The library of HAMi is in the container's own hands
// (https://github.com/Project-HAMi/HAMi-core/issues/119), KAI's and Run:ai's annotations work under
// their scheduler alone, and NVIDIA_VISIBLE_DEVICES=all passes by every device plugin
// (https://github.com/NVIDIA/gpu-operator/issues/1502).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

bool has_kind(const PodRequest& pod, GrantKind kind) {
  return std::ranges::any_of(pod.gpus, [&](const GpuAsk& ask) { return ask.kind == kind; });
}

const GpuAsk& ask_of(const PodRequest& pod, GrantKind kind) {
  return *std::ranges::find(pod.gpus, kind, &GpuAsk::kind);
}

/// What lets a container out of a share that a library in it keeps.
std::optional<std::string> way_out(const PodRequest& pod) {
  if (pod.shares_host_pid) return "hostPID is on";
  for (const Container& container : pod.containers) {
    if (container.is_privileged) return fmt::format("container {} is privileged", container.name);
  }
  return std::nullopt;
}

/// KubeRay gives the pods of a cluster the scheduler that it was installed with, and a queue says
/// which one that is (KubeRay, ray-operator/controllers/ray/batchscheduler).
bool has_ray_scheduler(const PodRequest& pod, GrantKind kind) {
  if (!pod.kind.starts_with("Ray")) return false;
  const NamedText* name = pod.label("ray.io/scheduler-name");
  if (kind == GrantKind::Volcano) return name != nullptr && name->value == "volcano";
  return pod.label("kai.scheduler/queue") != nullptr;
}

void check_scheduler(const PodRequest& pod, GrantKind kind,
                     std::initializer_list<std::string_view> schedulers, std::string_view what,
                     Report& report) {
  if (!has_kind(pod, kind) || pod.source != PodSource::Kubernetes) return;
  if (!pod.scheduler && has_ray_scheduler(pod, kind)) return;
  const std::string name = pod.scheduler ? pod.scheduler->value : "default-scheduler";
  if (std::ranges::find(schedulers, name) != schedulers.end()) return;
  const GpuAsk& ask = ask_of(pod, kind);
  const document::Node& place = pod.scheduler         ? *pod.scheduler->node
                                : ask.node != nullptr ? *ask.node
                                                      : pod.place();
  report.add(*pod.document, place,
             {.message = fmt::format("{} asks for {} under scheduler {}, which does not know them",
                                     pod.title(), what, name),
              .fix = fmt::format("set schedulerName: {}", *schedulers.begin())});
}

void check_all_devices(const PodRequest& pod, Report& report) {
  for (const Container& container : pod.containers) {
    const EnvironmentVariable* variable = container.variable("NVIDIA_VISIBLE_DEVICES");
    if (variable == nullptr || variable->value != "all" || variable->node == nullptr) continue;
    const bool is_whole_host = std::ranges::any_of(
        pod.gpus, [](const GpuAsk& ask) { return ask.kind == GrantKind::HostDevice; });
    if (is_whole_host || pod.source != PodSource::Kubernetes || pod.gpus.empty()) continue;
    report.add(
        *pod.document, *variable->node,
        {.message = fmt::format("container {} of {} sees every GPU of its node, whatever the "
                                "scheduler gave it",
                                container.name, pod.title()),
         .fix = "remove NVIDIA_VISIBLE_DEVICES: the device plugin sets it"});
  }
}

}  // namespace

void mf_10(const Deployment& deployment, Report& report) {
  for (const PodRequest& pod : deployment.pods) {
    check_scheduler(pod, GrantKind::Kai, {"kai-scheduler", "runai-scheduler"},
                    "a fraction of a GPU by annotation", report);
    check_scheduler(pod, GrantKind::Volcano, {"volcano"}, "Volcano's vGPU resources", report);
    if (has_kind(pod, GrantKind::Hami)) {
      if (const auto out = way_out(pod)) {
        const GpuAsk& ask = ask_of(pod, GrantKind::Hami);
        report.add(*pod.document, ask.node != nullptr ? *ask.node : pod.place(),
                   {.message = fmt::format("{} asks for a share of a GPU that a library inside the "
                                           "container keeps, and {}: it sees the whole GPU",
                                           pod.title(), *out),
                    .fix = "drop the privilege, or take MIG or a vGPU for isolation"});
      }
    }
    check_all_devices(pod, report);
  }
}

}  // namespace gpushape::review::rules_of
