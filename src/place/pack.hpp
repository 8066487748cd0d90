// The fewest devices that hold copies of some sizes: a bin packing over the published placements,
// solved by branch and bound over the maximal contents of one device; where its budget ends the
// best found stands, with the bound from below.
#pragma once

#include <cstdint>
#include <vector>

namespace gpushape::place {

/// Ours: contents of devices that one packing looks at; some tenths of a second.
inline constexpr std::int64_t kPlanSteps = 200'000;

/// One size as the packing sees it.
struct PackedSize {
  std::int64_t copies = 0;  ///< to be packed
  int size = 0;
  std::vector<int> starts;  ///< empty: anywhere, one behind another
  int most = 0;             ///< of one device
  int compute = 0;
};

/// What one device of a packing holds: of each size so many, in the order of the sizes.
using Contents = std::vector<std::int64_t>;

struct Packing {
  std::vector<Contents> devices;
  std::int64_t least = 0;  ///< bound from below
  bool is_proven = false;  ///< no fewer do
};

/// The fewest devices with an axis of this length, and so many compute slices (0: they do not
/// count), that hold all copies. Every size fits an empty device.
Packing pack(const std::vector<PackedSize>& sizes, int length, int compute,
             std::int64_t most_steps = kPlanSteps);

/// Starts of the shares of one device, size by size, ascending; empty where they find no place.
std::vector<std::vector<int>> lay_out(const std::vector<PackedSize>& sizes,
                                      const Contents& contents, int length);

}  // namespace gpushape::place
