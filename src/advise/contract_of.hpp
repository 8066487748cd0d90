// The contract of one offered shape: what derive_contract works out, and what it is for.
#pragma once

#include "advise/contract.hpp"
#include "advise/device_case.hpp"
#include "domain/advice.hpp"
#include "domain/contract.hpp"

namespace gpushape::advise {

domain::ResourceContract contract_of(const DeviceCase& device_case,
                                     const domain::RankedShape& ranked, const Need& need,
                                     const Layout& layout,
                                     const std::optional<PodAmounts>& pod = {});

/// Days after which a device that uncertainty holds is looked at again (CM-06, CM-07).
std::optional<std::int64_t> review_days(const DeviceCase& device_case,
                                        domain::ConsumptionModel model);

}  // namespace gpushape::advise
