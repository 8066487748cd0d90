#include "place/host_fit.hpp"

#include <algorithm>

#include "place/gpu_slots.hpp"

namespace gpushape::place {

namespace {

ResourceFit fit_of(HostResource resource, std::int64_t wanted, std::int64_t found) {
  return {.resource = resource, .wanted = wanted, .found = found, .instances = found / wanted};
}

}  // namespace

const ResourceFit* HostFit::row(HostResource resource) const {
  const auto found = std::ranges::find(resources, resource, &ResourceFit::resource);
  return found == resources.end() ? nullptr : &*found;
}

HostFit fit_on_empty_host(const domain::ResourceContract& contract, const domain::Device& device,
                          const domain::Host& host, const HostCapacity& capacity) {
  const std::int64_t slots = gpu_slots(contract.shape, device, host);
  HostFit fit{.resources = {fit_of(HostResource::GpuSlots, 1, slots)},
              .instances = 0,
              .binding = HostResource::GpuSlots,
              .stranded_slots = 0};
  if (contract.vcpus > 0) {
    fit.resources.push_back(
        fit_of(HostResource::Vcpus, contract.vcpus, capacity.cores() * contract.vcpus_per_core));
  }
  if (contract.memory_bytes > Bytes(0)) {
    fit.resources.push_back(
        fit_of(HostResource::Memory, contract.memory_bytes.count(), capacity.memory().count()));
  }
  if (contract.cpu_reservation_mhz > 0) {
    fit.resources.push_back(
        fit_of(HostResource::CpuReservation, contract.cpu_reservation_mhz, capacity.mhz()));
  }
  const auto least = std::ranges::min_element(fit.resources, {}, &ResourceFit::instances);
  fit.instances = least->instances;
  fit.binding = least->resource;
  fit.stranded_slots = slots - fit.instances;
  return fit;
}

}  // namespace gpushape::place
