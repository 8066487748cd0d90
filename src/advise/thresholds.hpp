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
  double least = 0;  ///< what a rules file may set it to
  double most = 1;
  std::string from = {};  ///< the place in a rules file that set it; empty: the default

  bool operator==(const Threshold&) const = default;
};

/// Defaults: consumption-rules.md, the values marked [P].
struct Thresholds {
  Threshold whole_device{"wholeDevice", 0.95, "of a device", "most that one instance may need",
                         0.1};
  Threshold guard{"guard", 0.10, "of the dynamic part", "kept free beside the need"};
  Threshold spiky_guard{"spikyGuard", 0.20, "of the dynamic part",
                        "kept free beside mixtures of experts and durable sessions"};
  Threshold highest_spread{
      "highestSpread", 1.5, "P99 / P50", "most that counts as predictable", 1, 1000};
  Threshold evidence_days{
      "evidenceDays", 14, "days", "least telemetry of production for E2", 1, 3650};
  Threshold review_days{"reviewDays", 14, "days", "how long uncertainty may hold a whole device", 1,
                        3650};
  Threshold full_use{"fullUse", 0.95, "of the pool", "use from which a share counts as full", 0.1};
  Threshold full_use_days{
      "fullUseDays", 3, "days", "how long it must be full before it grows", 0, 365};
  Threshold idle_memory{"idleMemory", 0.50, "of a device",
                        "peak memory up to which a whole device counts as idle"};
  Threshold idle_compute{"idleCompute", 0.25, "of a device",
                         "compute use up to which a whole device counts as idle"};
  Threshold idle_days{"idleDays", 14, "days", "how long a whole device must be idle", 0, 365};
  Threshold nesting_parts{
      "nestingParts", 8, "to a device", "smallest part of a halving profile catalog", 1, 64};
  Threshold size_mismatch{"sizeMismatch",
                          1.25,
                          "of the time-sliced profile",
                          "size up to which a MIG instance still matches",
                          1,
                          16};
  Threshold highest_utilization{"highestUtilization", 0.95, "of the visible memory",
                                "most that an engine is told to take", 0.1};
  Threshold replicated_attention{"replicatedAttention",
                                 16,
                                 "sequences a GPU",
                                 "load from which a mixture keeps attention on every GPU",
                                 1,
                                 1e5};
  // What a review and an inventory look at.
  Threshold no_kernel_minutes{
      "noKernelMinutes", 60, "minutes", "without any kernel: the device counts as idle", 1, 1e6};
  Threshold low_compute{"lowCompute", 0.05, "of a device", "compute use that counts as idle"};
  Threshold low_compute_hours{
      "lowComputeHours", 24, "hours", "how long it must be that low", 1, 1e5};
  Threshold experiment_days{
      "experimentDays", 14, "days", "lifetime of notebooks, CI and experiments", 1, 3650};
  Threshold catalog_sizes{"catalogSizes", 3, "sizes", "most of a same-size catalog", 1, 64};

  /// In the order above.
  [[nodiscard]] std::vector<const Threshold*> all() const;
  /// By the name that a rules file uses; nullptr where there is none.
  [[nodiscard]] Threshold* find(std::string_view name);

  bool operator==(const Thresholds&) const = default;
};

/// "threshold highestSpread 1.5", for the end of a sentence that the threshold decided; with the
/// place where a rules file set it.
std::string to_text(const Threshold& threshold);

}  // namespace gpushape::advise
