// VC-20: a live migration pauses a VM no longer than it may. The frame buffer moves while the VM
// stands still: about 1.5 s and its size over the link (vSphere, Using vGPU: stun times; vm-
// contract, step 7). LC-04.
#include <fmt/format.h>

#include <charconv>

#include "advise/contract.hpp"
#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

struct ToleratedPause {
  double seconds = 0;
  std::string from;
};

std::optional<ToleratedPause> tolerated_pause(const Deployment& deployment, const VmClass& vm) {
  const std::string text = vm.annotation("gpushape.dev/tolerated-pause");
  double seconds = 0;
  if (!text.empty() &&
      std::from_chars(text.data(), text.data() + text.size(), seconds).ec == std::errc() &&
      seconds > 0) {
    return ToleratedPause{seconds, "gpushape.dev/tolerated-pause"};
  }
  const domain::Workload* workload = deployment.request->workload;
  if (workload == nullptr || !workload->contract.tolerated_pause_seconds) return std::nullopt;
  return ToleratedPause{workload->contract.tolerated_pause_seconds->value, "the workload"};
}

}  // namespace

void vc_20(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.devices.empty() || vm.devices.front().is_passthrough()) continue;
    const auto tolerated = tolerated_pause(deployment, vm);
    const domain::Device* product = product_of(vm);
    if (!tolerated || product == nullptr) continue;
    const auto contract = contract_behind(deployment, vm);
    if (!contract) continue;
    for (const domain::ClusterHost* host : hosts_for(deployment, vm)) {
      if (!host->hardware) continue;
      // From VCF 9 on the static part is copied beforehand, and nobody here says how much is not.
      if (host->hardware->release.contains("VCF")) continue;
      advise::ContractRequest request;
      request.shape = contract->shape;
      request.device = *product;
      const auto pause = advise::derive_contract(request, *host->hardware).pause_seconds;
      if (!pause || *pause <= tolerated->seconds) continue;
      report.add(
          *vm.document, *vm.devices.front().node,
          {.message = fmt::format(
               "a VM of class {} stands still for about {:.1f} s when it leaves {}: {} x {} "
               "over {:g} Gb/s, and {} allows {:g} s",
               vm.name, *pause, host->name, contract->shape.count, vm.devices.front().profile,
               host->hardware->vmotion_gigabits_per_second, tolerated->from, tolerated->seconds)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
