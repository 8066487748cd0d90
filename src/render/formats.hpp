// Results for people and programs: text, JSON, YAML. The only room that knows colour, width and
// bars.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/advice.hpp"
#include "domain/calibration.hpp"
#include "domain/estimate.hpp"
#include "domain/estimate_comparison.hpp"
#include "domain/placement.hpp"

namespace gpushape::render {

struct Style {
  bool has_color = false;
  bool has_unicode = true;
  int width = 80;
  int verbosity = 0;    ///< -1 quiet, 0, 1 verbose: every term with formula, inputs and source
  std::string command;  ///< the command line that asked, for the next command; empty: not known
};

struct FormatRow {
  std::string_view name;  ///< "text"
  std::string_view description;
  std::string (*estimate)(const domain::Estimate&, const Style&);
  std::string (*advice)(const domain::Advice&, const Style&);
  std::string (*placement)(const domain::Placement&, const Style&);
  std::string (*comparison)(const domain::EstimateComparison&, const Style&);
  std::string (*calibration)(const std::vector<domain::Calibration>&, const Style&);
};

std::span<const FormatRow> formats();

/// The answer in at most three lines: they go to stderr when documents go to stdout.
std::string verdict(const domain::Advice& advice, const Style& style);

}  // namespace gpushape::render
