#include "advise/thresholds.hpp"

#include <fmt/format.h>

namespace gpushape::advise {

std::vector<const Threshold*> Thresholds::all() const {
  return {&whole_device, &guard,         &spiky_guard,   &highest_spread,     &review_days,
          &idle_compute, &nesting_parts, &size_mismatch, &highest_utilization};
}

std::string to_text(const Threshold& threshold) {
  return fmt::format("threshold {} {}", threshold.name, threshold.value);
}

}  // namespace gpushape::advise
