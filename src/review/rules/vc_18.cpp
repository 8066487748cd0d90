// VC-18: the VM's memory holds the operating system, the engine's processes, shared memory and the
// largest shard of the weights: 8 + 4 + 4 N + shm + 5 GiB (NIM for LLMs; vLLM). A notebook
// needs 16.
#include <fmt/format.h>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
/// Of a notebook, the smallest of all roles: operating system and one CUDA process.
constexpr double kLeastGib = 16;
/// Of the GPU's memory: cloud shapes give 0.67 to 4 times (AWS g6e.48xlarge 4.0, p4d 3.6).
constexpr double kMostOfGpu = 4;
/// Ours: below this nothing is wasted that counts.
constexpr double kSmallGib = 64;

/// The contract beside the class knows its workload, and what that needs at the least.
void check_least_memory(const Deployment& deployment, const VmClass& vm, Report& report) {
  const auto contract = contract_behind(deployment, vm);
  if (!contract) return;
  const auto least = static_cast<double>(contract->minimum_memory_bytes.count());
  if (vm.memory_bytes->value >= least) return;
  report.add(
      *vm.document, *vm.memory_bytes->node,
      {.message = fmt::format("{} has {} of memory, and the contract beside it needs {} at "
                              "the least{}",
                              title_of(vm), gib_text(vm.memory_bytes->value), gib_text(least),
                              contract->model.empty() ? "" : " for " + contract->model),
       .fix = fmt::format("give it {} or more", gib_text(least))});
}

/// All of it is reserved, and no other VM can have it. A tier for the cache in host memory has a
/// use for more.
void check_most_memory(const Deployment& deployment, const VmClass& vm, Report& report) {
  const domain::Workload* workload = deployment.request->workload;
  const bool has_tier =
      workload != nullptr && (workload->contract.kv_offload_bytes.value > Bytes(0) ||
                              workload->contract.cpu_offload_bytes.value > Bytes(0));
  if (has_tier || !vm.annotation("gpushape.dev/host-tier").empty()) return;
  double gpu_gib = 0;
  for (const VmDevice& device : vm.devices) {
    const domain::Profile* profile = profile_of_device(device);
    if (device.product == nullptr || (profile == nullptr && !device.is_passthrough())) return;
    gpu_gib +=
        static_cast<double>(profile != nullptr ? profile->nominal_gib : device.product->nominal_gb);
  }
  const double has = vm.memory_bytes->value / kGib;
  if (has <= kSmallGib || has <= kMostOfGpu * gpu_gib) return;
  report.add(
      *vm.document, *vm.memory_bytes->node,
      {.message =
           fmt::format("{} reserves {} of memory for {:g} GB on GPUs, {:.1f} times as "
                       "much, and nothing says that weights or cache move there",
                       title_of(vm), gib_text(vm.memory_bytes->value), gpu_gib, has / gpu_gib),
       .fix = "give it 1 to 2 times the GPU's memory, or annotate gpushape.dev/host-tier with "
              "what uses it",
       .severity = domain::Severity::Warning});
}

}  // namespace

void vc_18(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.devices.empty() || !vm.memory_bytes) continue;
    const auto gpus = static_cast<double>(vm.devices.size());
    // Several GPUs serve one engine: 8 + 4 + 4 N + 8 + 5.
    const double least = gpus > 1 ? 25 + 4 * gpus : kLeastGib;
    if (vm.memory_bytes->value >= least * kGib) {
      const bool has_contract = !vm.annotation("gpushape.dev/contract").empty();
      if (!has_contract) check_most_memory(deployment, vm, report);
      if (has_contract) check_least_memory(deployment, vm, report);
      continue;
    }
    report.add(*vm.document, *vm.memory_bytes->node,
               {.message = fmt::format("VM class '{}' has {} of memory for {:g} GPU{}, and the "
                                       "operating system, the processes and one shard of weights "
                                       "take {:g} GiB",
                                       vm.name, gib_text(vm.memory_bytes->value), gpus,
                                       gpus == 1 ? "" : "s", least),
                .fix = fmt::format("give it {:g} GiB or more", least)});
  }
}

}  // namespace gpushape::review::rules_of
