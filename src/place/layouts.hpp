// Every way to fill one empty GPU with a set of profiles, so far that no further one fits, and the
// memory that each way strands.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "place/geometry.hpp"

namespace gpushape::place {

struct LayoutCount {
  std::int64_t maximal_layouts = 0;        ///< by profile and start
  std::int64_t distinct_profile_sets = 0;  ///< by how many of each profile
  int worst_stranded = 0;                  ///< units of the axis: GB, or memory slices
  int least_stranded = 0;
  double mean_stranded = 0;  ///< over the maximal layouts

  bool operator==(const LayoutCount&) const = default;
};

/// Time-sliced profiles lie at their mixed-size starts. Names that the device lacks are left out.
LayoutCount count_layouts(const DeviceGeometry& device, domain::GpuUse use,
                          std::span<const std::string> profiles);

}  // namespace gpushape::place
