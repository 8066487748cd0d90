// Every number that decides a rule and that this project chose: configuration, not code. An answer
// that one of them decided names it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpushape::advise {

struct Threshold {
  std::string_view name;  ///< as a rules file spells it
  double value = 0;
  std::string_view unit;
  std::string_view meaning;

  bool operator==(const Threshold&) const = default;
};

/// Defaults: consumption-rules.md, the values marked [P].
struct Thresholds {
  Threshold whole_device{"wholeDevice", 0.95, "of a device", "most that one instance may need"};
  Threshold guard{"guard", 0.10, "of the dynamic part", "kept free beside the need"};
  Threshold spiky_guard{"spikyGuard", 0.20, "of the dynamic part",
                        "kept free beside mixtures of experts and durable sessions"};
  Threshold highest_spread{"highestSpread", 1.5, "P99 / P50", "most that counts as predictable"};
  Threshold review_days{"reviewDays", 14, "days", "how long uncertainty may hold a whole device"};
  Threshold idle_compute{"idleCompute", 0.25, "of a device",
                         "compute use up to which a whole device counts as idle"};
  Threshold nesting_parts{"nestingParts", 8, "to a device",
                          "smallest part of a halving profile catalog"};
  Threshold size_mismatch{"sizeMismatch", 1.25, "of the time-sliced profile",
                          "size up to which a MIG instance still matches"};
  Threshold highest_utilization{"highestUtilization", 0.95, "of the visible memory",
                                "most that an engine is told to take"};

  /// In the order above.
  [[nodiscard]] std::vector<const Threshold*> all() const;

  bool operator==(const Thresholds&) const = default;
};

/// "threshold highestSpread 1.5", for the end of a sentence that the threshold decided.
std::string to_text(const Threshold& threshold);

}  // namespace gpushape::advise
