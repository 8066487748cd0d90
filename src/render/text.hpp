// Text for people, 80 columns: assumptions first, the verdict or the next command last.
#pragma once

#include <string>
#include <vector>

#include "domain/advice.hpp"
#include "domain/calibration.hpp"
#include "domain/estimate.hpp"
#include "domain/estimate_comparison.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

std::string estimate_text(const domain::Estimate& estimate, const Style& style);
std::string advice_text(const domain::Advice& advice, const Style& style);
std::string comparison_text(const domain::EstimateComparison& comparison, const Style& style);
std::string calibration_text(const std::vector<domain::Calibration>& calibrations,
                             const Style& style);

}  // namespace gpushape::render
