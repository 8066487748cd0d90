// VC-18: the VM's memory holds the operating system, the engine's processes, shared memory and the
// largest shard of the weights: 8 + 4 + 4 N + shm + 5 GiB (NIM for LLMs; vLLM). A notebook
// needs 16.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
/// Of a notebook, the smallest of all roles: operating system and one CUDA process.
constexpr double kLeastGib = 16;

}  // namespace

void vc_18(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.devices.empty() || !vm.memory_bytes) continue;
    const auto gpus = static_cast<double>(vm.devices.size());
    // Several GPUs serve one engine: 8 + 4 + 4 N + 8 + 5.
    const double least = gpus > 1 ? 25 + 4 * gpus : kLeastGib;
    if (vm.memory_bytes->value >= least * kGib) continue;
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
