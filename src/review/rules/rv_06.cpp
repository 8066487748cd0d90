// RV-06: the GPUs of one VM reach each other. As many as were asked for outside one link domain are
// not what was asked for (F. Denneman, When a workload spans GPUs; PCIe-connected GPUs; NVIDIA AI
// Enterprise, Peer-To-Peer CUDA Transfers: over NVLink alone between vGPUs).
#include <fmt/format.h>

#include "review/rules/fleet.hpp"
#include "review/rules/functions.hpp"
#include "review/rules/support.hpp"

namespace gpushape::review::rules_of {

void rv_06(const Deployment& deployment, Report& report) {
  for (const VmClass& vm : deployment.vm_classes) {
    const std::int64_t gpus = gpus_of(vm);
    const domain::Device* product = product_of(vm);
    if (gpus < 2 || product == nullptr) continue;
    std::int64_t reach = product->nvlink.max_domain;
    std::string where = product->id;
    const std::vector<const domain::ClusterHost*> hosts = hosts_for(deployment, vm);
    if (reach >= gpus && !hosts.empty()) {
      reach = link_reach(*product, hosts);
      where = fmt::format("{} on {}", product->id, names_of_hosts(hosts));
    }
    if (reach >= gpus) continue;
    report.add(
        *vm.document, *vm.devices.front().node,
        {.message = fmt::format("{} takes {} GPUs, and {} has {}", title_of(vm), gpus, where,
                                reach > 1 ? fmt::format("NVLink among {} at the most", reach)
                                          : std::string("no NVLink: between vGPUs nothing goes "
                                                        "over PCIe")),
         .fix = reach > 1 ? fmt::format("take VMs with {} GPUs each, one replica in each", reach)
                          : std::string("take VMs with one GPU each, or pipeline parallelism"),
         .severity = reach > 1 ? std::nullopt : std::optional(domain::Severity::Warning)});
  }
}

}  // namespace gpushape::review::rules_of
