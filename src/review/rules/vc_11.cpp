// VC-11: from v1alpha2 on the API server refuses the same profile twice. VM Operator,
// config/crd/bases: vgpuDevices is a list-map keyed by profileName.
#include <fmt/format.h>

#include <set>
#include <string>

#include "review/rules/functions.hpp"

namespace gpushape::review::rules_of {

void vc_11(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    if (vm.version == "v1alpha1") continue;
    std::set<std::string> seen;
    for (const Located<std::string>& profile : vm.listed_profiles) {
      if (seen.insert(profile.value).second) continue;
      report.add(*vm.document, *profile.node,
                 {.message = fmt::format("{} lists profile {} twice", title_of(vm), profile.value),
                  .label = "listed above"});
    }
  }
}

}  // namespace gpushape::review::rules_of
