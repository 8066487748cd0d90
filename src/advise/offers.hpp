// From an examined device to the shapes it offers and those it refuses, each with its reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/device_case.hpp"
#include "domain/advice.hpp"

namespace gpushape::advise {

/// A shape that holds the workload, and what its place among the others depends on.
struct Offer {
  domain::RankedShape ranked;
  std::int64_t rule_rank = 0;       ///< place of the first rule that leads here; 0 is the decider
  bool is_other_mode = false;       ///< a mode rule prefers the other mode
  bool is_outside_catalog = false;  ///< its size does not nest
  double gpu_share = 1;             ///< of devices, over all replicas
  Bytes taken_bytes;                ///< of GPU memory, over all replicas
};

struct DeviceOffers {
  std::vector<Offer> offers;
  std::vector<domain::RejectedShape> rejected;
  std::vector<domain::Reason> findings;
};

DeviceOffers offers_of(const DeviceCase& device_case);

/// What the estimate chose of the engine's settings, put beside the shape; nothing where no engine
/// serves.
void take_settings(const domain::Estimate& estimate, const domain::Workload& workload,
                   domain::RankedShape& ranked);

}  // namespace gpushape::advise
