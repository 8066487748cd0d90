// What is left to say about the VM's life once it has its resources: links between its GPUs,
// moving, restarting, latency. Rules LC-01 to LC-04 of consumption-rules.md and their kin in
// vm-contract.md, section 6.
#include <fmt/format.h>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::Qos;
using domain::ResourceContract;
using domain::Technology;

namespace {

void check_links(const ContractBasis& basis, ResourceContract& contract) {
  if (basis.gpus < 2) return;
  if (!contract.shape.device_group.empty()) {
    note(contract, "MG-02",
         fmt::format("device group {} through configSpec: check on your release",
                     contract.shape.device_group));
  }
  if (!basis.is_linked && !basis.gpu_positions.empty()) {
    note(contract, "RV-06",
         fmt::format("the {} GPUs on {} do not stand in one link domain: their traffic takes PCIe "
                     "and the sockets' link",
                     basis.gpus, basis.host.name));
  }
}

void check_migration(const ContractBasis& basis, ResourceContract& contract) {
  const bool is_passthrough = contract.shape.technology == Technology::Passthrough;
  if (is_passthrough && contract.needs_live_migration) {
    note(contract, "VC-21", "passthrough cannot move live: take the full vGPU profile (LC-01)");
  }
  const auto& tolerated = basis.request.wishes.tolerated_pause_seconds;
  if (tolerated && contract.pause_seconds && *contract.pause_seconds > tolerated->value) {
    note(contract, "VC-20",
         fmt::format("a pause of about {:.1f} s is more than the tolerated {:g} s (LC-04): a "
                     "smaller profile, a faster link than {:g} Gb/s, VCF 9, or a planned restart",
                     *contract.pause_seconds, tolerated->value,
                     basis.host.vmotion_gigabits_per_second));
  }
}

void check_availability(const ContractBasis& basis, ResourceContract& contract) {
  if (!contract.needs_ha) return;
  if (contract.shape.technology == Technology::Passthrough) {
    note(contract, "LC-02",
         "a restart elsewhere needs Dynamic DirectPath I/O with a hardware label; a device bound "
         "by its address restarts on one host only");
  }
  const std::string_view share = basis.is_whole ? "device" : "slot";
  const std::string_view unit = basis.gpus > 1 ? "group" : share;
  note(contract, "LC-03",
       fmt::format("whether another host has a free {} like this one is not known without an "
                   "inventory",
                   unit));
}

void set_latency(const ContractBasis& basis, ResourceContract& contract) {
  if (basis.request.latency_slo != domain::LatencySlo::Strict) return;
  contract.latency_sensitive = contract.qos == Qos::Guaranteed;
  if (!contract.latency_sensitive) {
    note(contract, "VC-15",
         fmt::format("latency sensitivity stays normal: high needs every vCPU reserved, and qos is "
                     "{}",
                     name_of(contract.qos)));
  }
}

}  // namespace

void check_lifecycle(const ContractBasis& basis, ResourceContract& contract) {
  set_latency(basis, contract);
  check_links(basis, contract);
  check_migration(basis, contract);
  check_availability(basis, contract);
  if (basis.host.numa_nodes_per_socket > 1) {
    note(contract, "VC-26",
         fmt::format("{} runs {} NUMA nodes per socket: one (NPS1, sub-NUMA clustering off) gives "
                     "VMs larger nodes",
                     basis.host.name, basis.host.numa_nodes_per_socket));
  }
}

}  // namespace gpushape::advise
