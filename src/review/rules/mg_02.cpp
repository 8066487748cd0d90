// MG-02: GPUs that talk to each other are asked for as a group. Without one vSphere may take any of
// a host's GPUs; a device group carries the geometry in one selection (F. Denneman, When a workload
// spans GPUs; device groups).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void mg_02(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const std::int64_t gpus = gpus_of(vm);
    const domain::Device* product = product_of(vm);
    const bool is_vgpu = !vm.devices.empty() && !vm.devices.front().is_passthrough();
    if (gpus < 2 || product == nullptr || !is_vgpu || product->nvlink.max_domain < gpus) continue;
    // An export does not tell how its devices were asked for.
    const document::Node* config =
        vm.source == VmSource::Class ? at(*vm.root, {"spec", "configSpec"}) : vm.root;
    if (vm.source == VmSource::Export || config == nullptr) continue;
    if (at(*config, {"deviceGroups", "deviceGroup"}) != nullptr) continue;
    report.add(*vm.document, *vm.devices.front().node,
               {.message = fmt::format("{} lists {} x {} one by one: any {} of a host's GPUs will "
                                       "do, linked or not",
                                       title_of(vm), gpus, vm.devices.front().profile, gpus),
                .fix = fmt::format("ask for them as a device group: Nvidia:{}@{}%NVLink", gpus,
                                   vm.devices.front().profile)});
  }
}

}  // namespace gpushape::review::rules_of
