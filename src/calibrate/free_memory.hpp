// What an engine reads as a difference of free memory holds more than its own where others share
// the GPU's memory and the engine cannot know them: Windows beside a WSL, the system's page cache
// where GPU and host have one memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/engine_start.hpp"
#include "domain/estimate.hpp"
#include "domain/range.hpp"

namespace gpushape::calibrate {

/// The range of the term of that name as such a start would print it; as it is for other terms and
/// other starts.
domain::Range as_read(domain::Range predicted, std::string_view term, const EngineStart& start,
                      const std::optional<domain::VisibleMemory>& gpu);

/// What stands behind it; empty for other starts.
std::string why_read_otherwise(const EngineStart& start,
                               const std::optional<domain::VisibleMemory>& gpu);

}  // namespace gpushape::calibrate
