// What explains that a measured term lies outside its prediction: one row a cause.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "calibrate/engine_log.hpp"
#include "domain/calibration.hpp"
#include "domain/estimate.hpp"

namespace gpushape::calibrate {

/// All that a cause may look at.
struct Difference {
  const EngineLog* log = nullptr;
  const domain::Estimate* estimate = nullptr;
  const domain::Calibration* calibration = nullptr;  ///< the terms so far, the pool last
  const domain::CalibratedTerm* term = nullptr;
  bool has_shared_memory = false;  ///< GPU and host have one memory

  /// Measured less predicted, GiB.
  [[nodiscard]] double gib() const;
};

struct CauseRow {
  std::string_view name;
  std::string_view description;
  /// A sentence where the cause explains the difference.
  std::optional<std::string> (*explain)(const Difference&);
};

std::span<const CauseRow> causes();

}  // namespace gpushape::calibrate
