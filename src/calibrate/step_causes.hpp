// What explains that the peak of the profiling step is another than predicted: rows of causes().
#pragma once

#include <optional>
#include <string>

#include "calibrate/causes.hpp"

namespace gpushape::calibrate {

std::optional<std::string> sampler_path(const Difference& difference);
std::optional<std::string> batch_defaults(const Difference& difference);
/// Of the pool, too.
std::optional<std::string> compile_cache(const Difference& difference);
std::optional<std::string> encoder_inputs(const Difference& difference);

}  // namespace gpushape::calibrate
