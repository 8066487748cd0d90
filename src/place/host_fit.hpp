// How many instances of a contract one empty host takes, resource by resource, and which resource
// runs out first. Formulas: vm-contract.md, section 3, step 6.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/name_table.hpp"
#include "domain/contract.hpp"
#include "domain/device.hpp"
#include "domain/host.hpp"
#include "place/host_capacity.hpp"

namespace gpushape::place {

/// What an instance takes of a host. The order is that of the checks: GPUs, CPU, memory.
enum class HostResource { GpuSlots, Vcpus, Memory, CpuReservation };

/// One row of the table: what one instance wants, what the host has, how often it fits. Slots and
/// vCPU are counts, memory is bytes, a reservation is MHz.
struct ResourceFit {
  HostResource resource = HostResource::GpuSlots;
  std::int64_t wanted = 0;
  std::int64_t found = 0;
  std::int64_t instances = 0;

  bool operator==(const ResourceFit&) const = default;
};

struct HostFit {
  std::vector<ResourceFit> resources;  ///< only those that bound the count
  std::int64_t instances = 0;
  HostResource binding = HostResource::GpuSlots;  ///< the first of those that give `instances`
  std::int64_t stranded_slots = 0;                ///< GPU slots that no instance can use any more

  /// The row of a resource; nullptr where it does not bound the count.
  [[nodiscard]] const ResourceFit* row(HostResource resource) const;

  bool operator==(const HostFit&) const = default;
};

HostFit fit_on_empty_host(const domain::ResourceContract& contract, const domain::Device& device,
                          const domain::Host& host, const HostCapacity& capacity);

}  // namespace gpushape::place

namespace gpushape {
template <>
inline constexpr auto kNames<place::HostResource> = std::to_array<NameRow<place::HostResource>>({
    {place::HostResource::GpuSlots, "GPU slots", "shapes of this kind that the GPUs offer"},
    {place::HostResource::Vcpus, "vCPU", "at the overcommit of the contract"},
    {place::HostResource::Memory, "memory", "all of it reserved"},
    {place::HostResource::CpuReservation, "CPU reservation", "at the base clock"},
});
}  // namespace gpushape
