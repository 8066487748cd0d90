// How much 64-bit address space the BARs of a VM's devices are mapped into: vm-contract.md,
// section 3, step 4.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "advise/contract_constants.hpp"
#include "domain/device.hpp"

namespace gpushape::advise {

/// In GiB; the largest counts. Too much costs next to nothing, too little and the VM does not boot.
struct MmioNeed {
  std::int64_t by_memory = 0;
  std::optional<std::int64_t> by_bar;     ///< where BAR1 of every device is known
  std::optional<std::int64_t> by_vendor;  ///< where the vendor publishes it for every device
  std::int64_t gib = 0;
};

/// Of one VM with these devices, one pointer each.
MmioNeed mmio_need(std::span<const domain::Device* const> devices,
                   const ContractConstants& constants = {});

}  // namespace gpushape::advise
