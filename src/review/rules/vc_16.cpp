// VC-16: a host filled with one shape runs out of GPU slots first. Where CPU, memory or the
// reservation end before, the GPUs that are left serve nobody (vm-contract, step 6). A node filled
// with one pod is the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "place/gpu_slots.hpp"
#include "review/granted_shape.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

using domain::ClusterHost;
using domain::ResourceContract;

/// vCPU to a core that a class of that reservation may count on; as --qos of advise has them.
constexpr std::int64_t kOvercommitGuaranteed = 1;
constexpr std::int64_t kOvercommitEngine = 2;
constexpr std::int64_t kOvercommitBestEffort = 4;

std::int64_t overcommit_of(const VmClass& vm, const ResourceContract& contract) {
  if (!vm.annotation("gpushape.dev/contract").empty()) return contract.vcpus_per_core;
  if (vm.cpu_request && vm.cpus && vm.cpu_request->value >= static_cast<double>(vm.cpus->value)) {
    return kOvercommitGuaranteed;
  }
  return vm.cpu_request || vm.cpu_reservation_mhz ? kOvercommitEngine : kOvercommitBestEffort;
}

/// Instances of the shape that the GPUs of an empty host offer.
std::int64_t slots_on(const ClusterHost& host, const domain::Device& device,
                      const domain::Shape& shape) {
  const auto gpus = std::ranges::count_if(host.gpus, [&](const domain::Gpu& gpu) {
    return gpu.device == device.id && !gpu.has_failed;
  });
  if (place::takes_whole_devices(shape)) return gpus / std::max<std::int64_t>(shape.count, 1);
  const domain::Profile* profile = place::profile_of(shape, device);
  return profile == nullptr ? 0
                            : gpus * profile->max_per_gpu / std::max<std::int64_t>(shape.count, 1);
}

/// Where a host ends that is filled with one shape.
struct EndOfHost {
  std::int64_t instances = INT64_MAX;
  std::string resource;

  void take(double has, double wants, std::string text) {
    if (wants <= 0 || has <= 0) return;
    const auto held = static_cast<std::int64_t>(has / wants);
    if (held < instances) *this = {held, std::move(text)};
  }
};

double cores_of(const ClusterHost& host) {
  return static_cast<double>(host.millicores) / domain::kMillicoresPerCore;
}

void take_memory(const ClusterHost& host, double wanted, EndOfHost& end) {
  const auto has = static_cast<double>(host.memory_bytes.count());
  end.take(has, wanted,
           fmt::format("memory ({} for {}, {} each)", gib_text(has),
                       host.hardware && !host.hardware->release.empty() ? "VMs" : "pods",
                       gib_text(wanted)));
}

EndOfHost end_of(const ClusterHost& host, const ResourceContract& contract, std::int64_t overcommit,
                 double reserved_mhz) {
  EndOfHost end;
  const double cores = cores_of(host);
  end.take(cores * static_cast<double>(overcommit), static_cast<double>(contract.vcpus),
           fmt::format("CPU ({:g} cores for VMs, {} vCPU to the core, {} vCPU each)", cores,
                       overcommit, contract.vcpus));
  take_memory(host, static_cast<double>(contract.memory_bytes.count()), end);
  if (host.mhz) {
    end.take(
        static_cast<double>(*host.mhz), reserved_mhz,
        fmt::format("CPU that may be reserved ({} MHz, {:.0f} each)", *host.mhz, reserved_mhz));
  }
  return end;
}

/// Of a node a CPU is a hardware thread. What kubectl prints counts them; a server's own figures
/// count cores.
double cpus_of(const ClusterHost& node) {
  return cores_of(node) * (node.hardware ? node.hardware->threads_per_core : 1);
}

EndOfHost end_of_node(const ClusterHost& node, const PodRequest& pod) {
  EndOfHost end;
  end.take(cpus_of(node), pod.amount("cpu"),
           fmt::format("CPU ({:g} for pods, {:g} each)", cpus_of(node), pod.amount("cpu")));
  take_memory(node, pod.amount("memory"), end);
  return end;
}

std::string message_of(const ClusterHost& host, const std::string& title, std::int64_t slots,
                       const EndOfHost& end) {
  const std::int64_t empty = slots - end.instances;
  return fmt::format(
      "{} filled with {} ends at {} of {} GPU slots, for want of {}: {} slot{} "
      "stay{} empty",
      host.name, title, end.instances, slots, end.resource, empty, empty == 1 ? "" : "s",
      empty == 1 ? "s" : "");
}

/// A VM or pod that no host holds at all is PL-01's to tell.
bool leaves_slots(const EndOfHost& end, std::int64_t slots) {
  return end.instances >= 1 && end.instances < slots;
}

void check_class(const Deployment& deployment, const VmClass& vm, Report& report) {
  const domain::Device* product = product_of(vm);
  const std::vector<const ClusterHost*> hosts = hosts_for(deployment, vm);
  if (product == nullptr || hosts.empty()) return;
  const auto contract = contract_behind(deployment, vm);
  if (!contract) return;
  for (const ClusterHost* host : hosts) {
    double mhz = vm.cpu_reservation_mhz ? vm.cpu_reservation_mhz->value : 0;
    if (vm.cpu_request && host->hardware) mhz = vm.cpu_request->value * host->hardware->base_mhz;
    const std::int64_t slots = slots_on(*host, *product, contract->shape);
    const EndOfHost end = end_of(*host, *contract, overcommit_of(vm, *contract), mhz);
    if (!leaves_slots(end, slots)) continue;
    report.add(*vm.document, vm.place(), {.message = message_of(*host, title_of(vm), slots, end)});
    return;
  }
}

/// The shape of a pod that takes whole GPUs or MIG instances of its node; nothing for shares that
/// software keeps, and for guests: their node is a VM.
std::optional<domain::Shape> shape_on_node(const Deployment& deployment, const PodRequest& pod) {
  if (pod.gpus.size() != 1 || pod.gpus.front().takes_all) return std::nullopt;
  const Sizing& sizing = deployment.sizing(pod);
  if (sizing.gpus.empty()) return std::nullopt;
  const domain::Technology technology = technology_of(pod.gpus.front(), sizing.gpus.front());
  if (technology != domain::Technology::WholeGpu && technology != domain::Technology::Mig) {
    return std::nullopt;
  }
  const auto count = static_cast<std::int64_t>(std::llround(std::max(pod.gpu_count(), 1.0)));
  return granted_shape(sizing.gpus.front(), technology, count);
}

void check_pod(const Deployment& deployment, const PodRequest& pod, Report& report) {
  const auto shape = shape_on_node(deployment, pod);
  if (!shape) return;
  const domain::Device& product = *deployment.sizing(pod).gpus.front().device;
  for (const ClusterHost* node : hosts_with(deployment, product, 1)) {
    // Between a hypervisor's host and the pod stands a VM, which is asked for itself.
    if (node->hardware && !node->hardware->release.empty()) continue;
    const std::int64_t slots = slots_on(*node, product, *shape);
    const EndOfHost end = end_of_node(*node, pod);
    if (!leaves_slots(end, slots)) continue;
    report.add(*pod.document, pod.place(),
               {.message = message_of(*node, pod.title(), slots, end),
                .fix = fmt::format(
                    "ask for {:g} CPU and {} at the most for each pod, or take a larger node",
                    std::floor(cpus_of(*node) / static_cast<double>(slots) * 10) / 10,
                    gib_text(static_cast<double>((node->memory_bytes / slots).count())))});
    return;
  }
}

}  // namespace

void vc_16(const Deployment& deployment, Report& report) {
  if (deployment.cluster() == nullptr) return;
  for (const VmClass& vm : deployment.vm_classes) check_class(deployment, vm, report);
  if (!deployment.sizings) return;
  for (const PodRequest& pod : deployment.pods) check_pod(deployment, pod, report);
}

}  // namespace gpushape::review::rules_of
