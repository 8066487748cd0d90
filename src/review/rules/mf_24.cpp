// MF-24: a guest with a vGPU is selected by what the guest sees: "GRID A100-10C", not the card of
// the host (VKS conformance evidence, cncf/k8s-ai-conformance).
#include <fmt/format.h>

#include <algorithm>

#include "domain/profile_memory.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

namespace {

/// The documents build the nodes themselves, out of VM classes with vGPUs alone.
bool has_only_guests(const Deployment& deployment) {
  bool is_any = false;
  for (const VmClass& vm : deployment.vm_classes) {
    for (const VmDevice& device : vm.devices) {
      if (device.profile.empty()) return false;
      is_any = true;
    }
  }
  return is_any;
}

std::string example_of(const Deployment& deployment) {
  for (const VmClass& vm : deployment.vm_classes) {
    for (const VmDevice& device : vm.devices) {
      if (device.product == nullptr) continue;
      for (const domain::Profile& profile : device.product->profiles) {
        if (profile.name == device.profile) return domain::guest_product(profile);
      }
    }
  }
  return "GRID A100-10C";
}

}  // namespace

void mf_24(const Deployment& deployment, Report& report) {
  if (deployment.claims.empty() || !has_only_guests(deployment)) return;
  each_request(deployment, [&](const Claim& claim, const ClaimRequest& request) {
    if (request.selectors.empty()) return;
    const DeviceMatch& match = match_devices(deployment, request);
    const auto is_card = [](const PublishedGpu* gpu) { return !gpu->is_guest; };
    if (!match.is_judged || match.yes.empty() || !std::ranges::all_of(match.yes, is_card) ||
        !std::ranges::all_of(match.maybe, is_card)) {
      return;
    }
    report.add(
        *claim.document, *request.selectors.front().node,
        {.message = fmt::format("request '{}' selects {}, and the VM classes give their nodes "
                                "vGPUs",
                                request.name, names_of(match.yes)),
         .fix =
             fmt::format("select the product that the guest sees: '{}'", example_of(deployment))});
  });
}

}  // namespace gpushape::review::rules_of
