// Steps 5 and 6, the host's side: what is reserved of its cores, and how often the VM fits it.
#include <fmt/format.h>

#include <algorithm>

#include "advise/contract_steps.hpp"
#include "place/host_fit.hpp"

namespace gpushape::advise {

using domain::Qos;
using domain::ResourceContract;
using place::HostResource;

namespace {

std::int64_t reserved_cores(const ContractBasis& basis, std::int64_t vcpus) {
  switch (basis.request.wishes.qos.value) {
    case Qos::Guaranteed:
      return vcpus;
    case Qos::Engine:
      return std::min(vcpus, basis.processes);
    case Qos::BestEffort:
      break;
  }
  return 0;
}

const ContractConstant& overcommit_constant(const ContractBasis& basis) {
  switch (basis.request.wishes.qos.value) {
    case Qos::Guaranteed:
      return basis.constants.overcommit_guaranteed;
    case Qos::Engine:
      return basis.constants.overcommit_engine;
    case Qos::BestEffort:
      break;
  }
  return basis.constants.overcommit_best_effort;
}

std::string found_text(const place::ResourceFit& row) {
  switch (row.resource) {
    case HostResource::GpuSlots:
      return fmt::format("{} slots", row.found);
    case HostResource::Vcpus:
      return fmt::format("{} of {} vCPU", row.wanted, row.found);
    case HostResource::Memory:
      return fmt::format("{} of {}", gib_text(Bytes(row.wanted)), gib_text(Bytes(row.found)));
    case HostResource::CpuReservation:
      break;
  }
  return fmt::format("{} of {} MHz", row.wanted, row.found);
}

}  // namespace

void reserve_cpu(const ContractBasis& basis, ResourceContract& contract) {
  contract.reserved_cores = reserved_cores(basis, contract.vcpus);
  contract.cpu_reservation_mhz = contract.reserved_cores * basis.host.base_mhz;
  note(contract, "step-5",
       fmt::format("qos {}: {} cores reserved ({} MHz at {} MHz); {}", name_of(contract.qos),
                   contract.reserved_cores, contract.cpu_reservation_mhz, basis.host.base_mhz,
                   cite({&overcommit_constant(basis)})));
}

void count_density(const ContractBasis& basis, ResourceContract& contract) {
  const place::HostFit fit =
      place::fit_on_empty_host(contract, basis.request.device, basis.host, basis.capacity);
  const auto instances = [&](HostResource resource) {
    const place::ResourceFit* row = fit.row(resource);
    return row == nullptr ? std::int64_t{0} : row->instances;
  };
  contract.density = {.gpu_slots = instances(HostResource::GpuSlots),
                      .by_vcpus = instances(HostResource::Vcpus),
                      .by_memory = instances(HostResource::Memory),
                      .by_reservation = {}};
  if (fit.row(HostResource::CpuReservation) != nullptr) {
    contract.density.by_reservation = instances(HostResource::CpuReservation);
  }
  if (contract.density.gpu_slots == 0) {
    note(contract, "step-6",
         fmt::format(
             "{} offers no slot for this shape: {} of its GPUs are {}", basis.host.name,
             std::ranges::count(basis.host.gpus, contract.shape.device, &domain::HostGpu::device),
             contract.shape.device));
  }
  if (fit.stranded_slots <= 0) return;
  note(contract, "VC-16",
       fmt::format("{} filled with this shape ends at {} of {} GPU slots: {} runs out first ({}), "
                   "{} slots are stranded",
                   basis.host.name, fit.instances, contract.density.gpu_slots, name_of(fit.binding),
                   found_text(*fit.row(fit.binding)), fit.stranded_slots));
}

}  // namespace gpushape::advise
