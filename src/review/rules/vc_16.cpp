// VC-16: a host filled with one shape runs out of GPU slots first. Where CPU, memory or the
// reservation end before, the GPUs that are left serve nobody (vm-contract, step 6).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "place/gpu_slots.hpp"
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
                      const ResourceContract& contract) {
  const auto gpus = std::ranges::count_if(host.gpus, [&](const domain::Gpu& gpu) {
    return gpu.device == device.id && !gpu.has_failed;
  });
  if (place::takes_whole_devices(contract.shape)) {
    return gpus / std::max<std::int64_t>(contract.shape.count, 1);
  }
  const domain::Profile* profile = place::profile_of(contract.shape, device);
  return profile == nullptr ? 0 : gpus * profile->max_per_gpu;
}

struct EndOfHost {
  std::int64_t instances = 0;
  std::string resource;
};

EndOfHost end_of(const ClusterHost& host, const ResourceContract& contract, std::int64_t overcommit,
                 double reserved_mhz) {
  EndOfHost end{INT64_MAX, {}};
  const auto take = [&end](double has, double wants, std::string text) {
    if (wants <= 0 || has <= 0) return;
    const auto instances = static_cast<std::int64_t>(has / wants);
    if (instances < end.instances) end = {instances, std::move(text)};
  };
  const auto cores = static_cast<double>(host.millicores) / domain::kMillicoresPerCore;
  const auto memory = static_cast<double>(host.memory_bytes.count());
  const auto wanted = static_cast<double>(contract.memory_bytes.count());
  take(cores * static_cast<double>(overcommit), static_cast<double>(contract.vcpus),
       fmt::format("CPU ({:g} cores for VMs, {} vCPU to the core, {} vCPU each)", cores, overcommit,
                   contract.vcpus));
  take(memory, wanted,
       fmt::format("memory ({} for VMs, {} each)", gib_text(memory), gib_text(wanted)));
  if (host.mhz) {
    take(static_cast<double>(*host.mhz), reserved_mhz,
         fmt::format("CPU that may be reserved ({} MHz, {:.0f} each)", *host.mhz, reserved_mhz));
  }
  return end;
}

}  // namespace

void vc_16(const Deployment& deployment, Report& report) {
  if (deployment.cluster() == nullptr) return;
  for (const VmClass& vm : deployment.vm_classes) {
    const domain::Device* product = product_of(vm);
    if (product == nullptr) continue;
    const std::vector<const ClusterHost*> hosts = hosts_for(deployment, vm);
    if (hosts.empty()) continue;
    const auto contract = contract_behind(deployment, vm);
    if (!contract) continue;
    for (const ClusterHost* host : hosts) {
      double mhz = vm.cpu_reservation_mhz ? vm.cpu_reservation_mhz->value : 0;
      if (vm.cpu_request && host->hardware) mhz = vm.cpu_request->value * host->hardware->base_mhz;
      const std::int64_t slots = slots_on(*host, *product, *contract);
      const EndOfHost end = end_of(*host, *contract, overcommit_of(vm, *contract), mhz);
      // A VM that no host holds at all is PL-01's to tell.
      if (slots < 1 || end.instances >= slots || end.instances < 1) continue;
      report.add(
          *vm.document, vm.place(),
          {.message = fmt::format("{} filled with {} ends at {} of {} GPU slots, for want "
                                  "of {}: {} slot{} stay{} empty",
                                  host->name, title_of(vm), end.instances, slots, end.resource,
                                  slots - end.instances, slots - end.instances == 1 ? "" : "s",
                                  slots - end.instances == 1 ? "s" : "")});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
