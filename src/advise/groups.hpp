// Several GPUs for one instance, or for each of several copies: which sizes are possible, which of
// them hold the need, and how many copies carry a load that is concurrency rather than size.
#pragma once

#include "advise/device_case.hpp"

namespace gpushape::advise {

/// Sizes one layout; refused where heads do not divide or the need is too large.
Group sized_group(const DeviceCase& device_case, const Layout& layout);

/// Fills groups, copies and the facts that follow from them. Needs the candidates and the need on
/// the whole device.
void find_groups(DeviceCase& device_case);

}  // namespace gpushape::advise
