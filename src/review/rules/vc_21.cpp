// VC-21: what must move is no passthrough. A VM with DirectPath I/O has no vMotion, suspend or
// snapshot (vSphere, feature support of DirectPath I/O). LC-01.
#include <fmt/format.h>

#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void vc_21(const Deployment& deployment, Report& report) {
  const domain::Workload* workload = deployment.request->workload;
  const bool is_wanted = workload != nullptr && workload->needs_live_migration.value;
  for (const VmClass& vm : deployment.vm_classes) {
    const document::Node* annotation =
        at(*vm.root, {"metadata", "annotations", "gpushape.dev/needs-live-migration"});
    const bool is_annotated = annotation != nullptr && word_of(*annotation) == "true";
    if (!is_wanted && !is_annotated) continue;
    for (const VmDevice& device : vm.devices) {
      if (!device.profile.empty() || device.node == nullptr) continue;
      report.add(
          *vm.document, *device.node,
          {.message = fmt::format(
               "VM class '{}' passes {} through, and its VMs are to move "
               "while they run",
               vm.name, device.product != nullptr ? device.product->id : std::string("a device"))});
      break;
    }
  }
}

}  // namespace gpushape::review::rules_of
