#include "advise/thresholds.hpp"

#include <fmt/format.h>

namespace gpushape::advise {

std::vector<const Threshold*> Thresholds::all() const {
  return {&whole_device,
          &guard,
          &spiky_guard,
          &highest_spread,
          &evidence_days,
          &review_days,
          &full_use,
          &full_use_days,
          &idle_memory,
          &idle_compute,
          &idle_days,
          &nesting_parts,
          &size_mismatch,
          &highest_utilization,
          &replicated_attention,
          &no_kernel_minutes,
          &low_compute,
          &low_compute_hours,
          &experiment_days,
          &catalog_sizes};
}

Threshold* Thresholds::find(std::string_view name) {
  for (const Threshold* threshold : all()) {
    if (threshold->name == name) return const_cast<Threshold*>(threshold);  // of this object
  }
  return nullptr;
}

std::string to_text(const Threshold& threshold) {
  return fmt::format("threshold {} {}{}{}", threshold.name, threshold.value,
                     threshold.from.empty() ? "" : ", ", threshold.from);
}

}  // namespace gpushape::advise
