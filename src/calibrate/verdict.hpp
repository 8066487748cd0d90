// What a comparison of a log with its estimate comes to, in one sentence.
#pragma once

#include <string>

#include "domain/calibration.hpp"

namespace gpushape::calibrate {

/// `failure` is why the engine did not start, empty where it did. Of several terms that are off the
/// farthest is named, the pool, which follows from them, last.
std::string verdict_of(const domain::Calibration& calibration, const std::string& failure);

}  // namespace gpushape::calibrate
