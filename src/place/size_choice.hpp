// Which sizes share the devices of one mode: of all sets of the device's sizes the one that packs
// the items of a mix onto the fewest devices, loses or gives beyond a need the least memory, and
// has the fewest sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "domain/device.hpp"
#include "domain/profile_plan.hpp"
#include "place/pack.hpp"

namespace gpushape::place {

/// The part of a mix that shares devices of one mode; `items` are the caller's to add.
struct SharedPart {
  domain::GpuMode mode = domain::GpuMode::Mig;
  std::vector<const domain::Profile*> candidates;  ///< sizes that may be offered, largest first
  std::vector<const domain::MixItem*> items;
  int length = 0;
  int compute = 0;
  Bytes unit_bytes;  ///< of the axis
};

/// One choice of sizes, packed.
struct PackedSizes {
  std::vector<const domain::Profile*> sizes;  ///< largest first
  std::vector<PackedSize> packed;
  std::map<const domain::MixItem*, std::size_t> size_of;
  Packing packing;
  Bytes stranded_bytes;
  Bytes surplus_bytes;
};

/// The best of all sets of sizes.
struct BestSizes {
  PackedSizes packed;
  std::int64_t least = 0;  ///< of any set of sizes
  bool is_proven = true;
};

/// A share of a device by time, or a partition that is not all of it.
bool is_fraction(const domain::Profile& profile);

/// What the device can offer in that mode, before any item is asked for.
SharedPart shared_part(const domain::Device& device, domain::GpuMode mode);

/// The smallest of the sizes that holds the need, fewest slices first.
std::optional<std::size_t> smallest_holding(const std::vector<const domain::Profile*>& sizes,
                                            Bytes need);

/// Nothing where an item finds no size. `most_steps` is for each packing.
std::optional<BestSizes> best_sizes(const SharedPart& shared, std::int64_t most_steps);

/// Axis units that a device with these contents has in use.
std::int64_t used_units(const std::vector<PackedSize>& sizes, const Contents& contents);

/// Axis units that nothing of the plan can use on a device with these contents.
std::int64_t stranded_units(const SharedPart& shared, const PackedSizes& packed,
                            const Contents& contents);

}  // namespace gpushape::place
