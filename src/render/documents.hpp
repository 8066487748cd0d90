// Results as documents for programs: JSON and YAML.
#pragma once

#include <string>
#include <vector>

#include "render/formats.hpp"

namespace gpushape::render {

std::string estimate_json(const domain::Estimate& estimate, const Style& style);
std::string advice_json(const domain::Advice& advice, const Style& style);
std::string estimate_yaml(const domain::Estimate& estimate, const Style& style);
std::string advice_yaml(const domain::Advice& advice, const Style& style);
std::string placement_json(const domain::Placement& placement, const Style& style);
std::string placement_yaml(const domain::Placement& placement, const Style& style);
std::string comparison_json(const domain::EstimateComparison& comparison, const Style& style);
std::string comparison_yaml(const domain::EstimateComparison& comparison, const Style& style);
std::string calibration_json(const std::vector<domain::Calibration>& calibrations,
                             const Style& style);
std::string calibration_yaml(const std::vector<domain::Calibration>& calibrations,
                             const Style& style);

}  // namespace gpushape::render
