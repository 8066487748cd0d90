// A line chart as SVG, for a browser or a document; also wrapped as one HTML page. Same input, same
// bytes out.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpushape::render {

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< ascending in x
};

struct Chart {
  std::string title;
  std::string x_title;
  std::string y_title;
  double x_factor = 1;  ///< of the labels: 1 / 3600 shows seconds as hours
  std::vector<ChartLine> lines;
};

std::string chart_svg(const Chart& chart);
std::string chart_html(const std::vector<Chart>& charts, const std::string& title);

}  // namespace gpushape::render
