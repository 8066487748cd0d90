// RV-05: what changes often is no passthrough. Every change of a passthrough shape stops the
// workload and reconfigures the host; a profile changes with a reboot (F. Denneman, GPU Consumption
// Models as the First Architectural Choice, Passthrough and exclusivity; CM-04).
#include <fmt/format.h>

#include <algorithm>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

constexpr std::string_view kChangeRateNote = "gpushape.dev/change-rate";

bool changes_often(const Deployment& deployment) {
  const domain::Workload* workload = deployment.request->workload;
  return workload != nullptr && workload->change_rate &&
         workload->change_rate->value == domain::ChangeRate::High;
}

}  // namespace

void rv_05(const Deployment& deployment, Report& report) {
  const bool is_stated = changes_often(deployment);
  for (const VmClass& vm : deployment.vm_classes) {
    if (!is_stated && vm.annotation(kChangeRateNote) != "high") continue;
    const auto device = std::ranges::find_if(vm.devices, &VmDevice::is_passthrough);
    if (device == vm.devices.end()) continue;
    report.add(*vm.document, *device->node,
               {.message = fmt::format(
                    "{} passes {} through to a workload that changes often", title_of(vm),
                    device->product != nullptr ? device->product->id : std::string("a GPU"))});
  }
  for (const PodRequest& pod : deployment.pods) {
    const NamedText* note = pod.annotation(kChangeRateNote);
    if (!is_stated && (note == nullptr || note->value != "high")) continue;
    for (const GpuAsk& ask : pod.gpus) {
      const bool is_passed = ask.kind == GrantKind::Claim && ask.node != nullptr &&
                             meaning_of_class(ask.resource) == ClassMeaning::Passthrough;
      if (!is_passed) continue;
      report.add(*pod.document, *ask.node,
                 {.message = fmt::format("{} passes a GPU through to a workload that changes often",
                                         pod.title())});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
