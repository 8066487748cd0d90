// VC-20: a live migration pauses a VM no longer than it may. The frame buffer moves while the VM
// stands still: about 1.5 s and its size over the link (vSphere, Using vGPU: stun times; vm-
// contract, step 7). LC-04. A limit may stand on the VM itself: above it vSphere neither moves the
// VM nor, from 8.0 U2 on, may power it on (vSphere Virtual Machine Administration, stun time limit
// for vGPU virtual machines).
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
  const document::Node* place = nullptr;  ///< of a limit on the VM
};

std::optional<double> seconds_in(std::string_view text) {
  double seconds = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || !(seconds > 0)) return std::nullopt;
  return seconds;
}

/// The option of the VM that limits its stun time. The documentation shows the field of the client
/// and names no key: whatever speaks of stun time and holds seconds is read.
bool is_stun_limit(std::string_view key) {
  std::string word;
  for (const char letter : key) {
    if (letter != '.' && letter != '_' && letter != '-') word += static_cast<char>(letter | 0x20);
  }
  return word.contains("stuntime");
}

/// The narrowest of what the VM, its annotation and the workload allow.
std::optional<ToleratedPause> tolerated_pause(const Deployment& deployment, const VmClass& vm) {
  std::optional<ToleratedPause> narrowest;
  for (const ExtraOption& option : vm.options) {
    const auto seconds = is_stun_limit(option.key) ? seconds_in(option.value) : std::nullopt;
    if (seconds && (!narrowest || *seconds < narrowest->seconds)) {
      narrowest = ToleratedPause{*seconds, "its own limit " + option.key, option.value_node};
    }
  }
  const auto stated = seconds_in(vm.annotation("gpushape.dev/tolerated-pause"));
  if (stated && (!narrowest || *stated < narrowest->seconds)) {
    narrowest = ToleratedPause{*stated, "gpushape.dev/tolerated-pause"};
  }
  if (narrowest) return narrowest;
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
          *vm.document, tolerated->place != nullptr ? *tolerated->place : *vm.devices.front().node,
          {.message = fmt::format(
               "{}{} stands still for about {:.1f} s when it leaves {}: {} x {} over {:g} Gb/s, "
               "and {} allows {:g} s",
               vm.source == VmSource::Class ? "a VM of class " : "VM ", vm.name, *pause, host->name,
               contract->shape.count, vm.devices.front().profile,
               host->hardware->vmotion_gigabits_per_second, tolerated->from, tolerated->seconds)});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
