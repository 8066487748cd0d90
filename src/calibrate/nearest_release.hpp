// The release that a start is nearest to, where its version is no release or is not stated.
#pragma once

#include <optional>
#include <string>

#include "calibrate/engine_start.hpp"
#include "domain/engine.hpp"

namespace gpushape::calibrate {

struct NearestRelease {
  domain::EngineVersion version;
  bool is_stated = false;  ///< the start names it
  std::string from;        ///< "the month 2026-06"; empty where it is stated
};

/// The stated release. The second generation of vLLM before 0.8 is taken for that of 0.8: what is
/// known of those releases is of the first.
std::optional<domain::EngineVersion> accounted_release(const EngineStart& start);

/// From the stated version, else from a month in it ("June 2026"), else from the start's date.
std::optional<NearestRelease> nearest_release(const EngineStart& start);

}  // namespace gpushape::calibrate
