// Step 4, MMIO: the 64-bit address space that the BARs of all devices of the VM are mapped into.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "advise/contract_steps.hpp"
#include "advise/mmio.hpp"

namespace gpushape::advise {

using domain::Device;
using domain::ResourceContract;

namespace {

std::int64_t next_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

/// The sum over all devices; nothing where one of them is not known.
std::optional<std::int64_t> sum_of(std::span<const Device* const> devices,
                                   std::optional<std::int64_t> Device::* field) {
  std::int64_t sum = 0;
  for (const Device* device : devices) {
    if (!(device->*field)) return std::nullopt;
    sum += *(device->*field);
  }
  return sum;
}

}  // namespace

MmioNeed mmio_need(std::span<const Device* const> devices, const ContractConstants& constants) {
  std::int64_t memory = 0;
  for (const Device* device : devices) memory += std::max<std::int64_t>(device->nominal_gb, 1);
  MmioNeed need;
  need.by_memory = constants.mmio_factor.count() * next_power_of_two(memory);
  if (const auto bars = sum_of(devices, &Device::bar1_gib)) {
    need.by_bar = next_power_of_two(*bars + 1);
  }
  if (const auto vendor = sum_of(devices, &Device::mmio_gib)) {
    need.by_vendor = next_power_of_two(*vendor);
  }
  need.gib = std::max({constants.mmio_floor.count(), need.by_memory, need.by_bar.value_or(0),
                       need.by_vendor.value_or(0)});
  return need;
}

void size_mmio(const ContractBasis& basis, ResourceContract& contract) {
  const ContractConstants& k = basis.constants;
  const std::vector<const Device*> devices(static_cast<std::size_t>(basis.gpus),
                                           &basis.request.device);
  const MmioNeed need = mmio_need(devices, k);
  contract.mmio_gib = need.gib;
  contract.needs_efi = true;
  const std::string bar =
      need.by_bar ? fmt::format("{} GiB by BAR1", *need.by_bar) : "BAR1 not known";
  const std::string vendor =
      need.by_vendor ? fmt::format(", {} GiB by the vendor", *need.by_vendor) : "";
  note(contract, "step-4",
       fmt::format("{} GiB of 64-bit MMIO: {} GiB by device memory, {}{}; {}", contract.mmio_gib,
                   need.by_memory, bar, vendor, cite({&k.mmio_floor, &k.mmio_factor})));
}

}  // namespace gpushape::advise
