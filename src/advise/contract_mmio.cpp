// Step 4, MMIO: the 64-bit address space that the BARs of all devices of the VM are mapped into.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "advise/contract_steps.hpp"

namespace gpushape::advise {

using domain::ResourceContract;

namespace {

std::int64_t next_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

}  // namespace

void size_mmio(const ContractBasis& basis, ResourceContract& contract) {
  const domain::Device& device = basis.request.device;
  const ContractConstants& k = basis.constants;
  const std::int64_t memory = basis.gpus * std::max<std::int64_t>(device.nominal_gb, 1);
  const std::int64_t by_memory = k.mmio_factor.count() * next_power_of_two(memory);
  const std::int64_t by_bar =
      device.bar1_gib ? next_power_of_two(basis.gpus * *device.bar1_gib + 1) : 0;
  // Too much costs next to nothing, too little and the VM does not boot: what the vendor publishes
  // counts where it is more than the formula.
  const std::int64_t by_vendor =
      device.mmio_gib ? next_power_of_two(basis.gpus * *device.mmio_gib) : 0;
  contract.mmio_gib = std::max({k.mmio_floor.count(), by_memory, by_bar, by_vendor});
  contract.needs_efi = true;
  const std::string bar =
      device.bar1_gib ? fmt::format("{} GiB by BAR1", by_bar) : "BAR1 not known";
  const std::string vendor =
      device.mmio_gib ? fmt::format(", {} GiB by the vendor", by_vendor) : "";
  note(contract, "step-4",
       fmt::format("{} GiB of 64-bit MMIO: {} GiB by device memory, {}{}; {}", contract.mmio_gib,
                   by_memory, bar, vendor, cite({&k.mmio_floor, &k.mmio_factor})));
}

}  // namespace gpushape::advise
