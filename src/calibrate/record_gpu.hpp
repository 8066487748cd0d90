// The GPU of a published start: records name GPUs in words of their own, and many are of kinds that
// no data center profile covers.
#pragma once

#include <optional>
#include <string>

#include "calibrate/engine_start.hpp"
#include "domain/estimate.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::calibrate {

struct RecordGpu {
  std::optional<domain::VisibleMemory> memory;  ///< absent where neither GPU nor total is stated
  bool is_named = false;                        ///< the record names a GPU that is known
  std::string reason;  ///< why its memory is no ground for a pool; empty where it is
};

RecordGpu gpu_of(const EngineStart& start, const profiles::Profiles& profiles);

}  // namespace gpushape::calibrate
