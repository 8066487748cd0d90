#include "render/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gpushape::render {

namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 320;
constexpr double kLeft = 64;
constexpr double kRight = 200;  // of it the names
constexpr double kTop = 36;
constexpr double kBottom = 44;
constexpr int kTicks = 5;

// Okabe and Ito, "Color Universal Design" (2008): told apart by colour-blind readers, too.
constexpr auto kColors = std::to_array<std::string_view>(
    {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"});

std::string escaped(std::string_view text) {
  std::string plain;
  for (const char letter : text) {
    switch (letter) {
      case '<':
        plain += "&lt;";
        break;
      case '>':
        plain += "&gt;";
        break;
      case '&':
        plain += "&amp;";
        break;
      case '"':
        plain += "&quot;";
        break;
      default:
        plain += letter;
    }
  }
  return plain;
}

struct Scale {
  double least = 0;
  double most = 1;
  double from = 0;
  double to = 1;

  [[nodiscard]] double at(double value) const {
    return from + (value - least) / (most - least) * (to - from);
  }
};

/// The next of 1, 2, 5, 10 … above.
double rounded_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

std::string axes(const Chart& chart, const Scale& x, const Scale& y) {
  std::string svg;
  for (int i = 0; i <= kTicks; ++i) {
    const double share = static_cast<double>(i) / kTicks;
    const double value = y.least + share * (y.most - y.least);
    const double level = y.at(value);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n",
        x.from, level, x.to, level, x.from - 8, level + 4, value);
    const double when = x.least + share * (x.most - x.least);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g}</text>\n",
                       x.at(when), y.from + 18, when * chart.x_factor);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                     (x.from + x.to) / 2, y.from + 36, escaped(chart.x_title));
  svg += fmt::format(
      "<text x=\"14\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1f})\">{}"
      "</text>\n",
      (y.from + y.to) / 2, (y.from + y.to) / 2, escaped(chart.y_title));
  return svg;
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  Scale x{.least = 0, .most = 0, .from = kLeft, .to = kWidth - kRight};
  Scale y{.least = 0, .most = 0, .from = kHeight - kBottom, .to = kTop};
  bool is_first = true;
  for (const ChartLine& line : chart.lines) {
    for (const auto& [when, value] : line.points) {
      x.least = is_first ? when : std::min(x.least, when);
      x.most = is_first ? when : std::max(x.most, when);
      y.most = std::max(y.most, value);
      is_first = false;
    }
  }
  if (x.most <= x.least) x.most = x.least + 1;
  y.most = rounded_up(y.most);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<text x=\"{:.1f}\" y=\"20\" font-size=\"14\">{}</text>\n",
      kWidth, kHeight, kLeft, escaped(chart.title));
  svg += axes(chart, x, y);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const std::string_view color = kColors[i % kColors.size()];
    std::string points;
    for (const auto& [when, value] : chart.lines[i].points) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x.at(when), y.at(value));
    }
    const double level = kTop + 12 + 18 * static_cast<double>(i);
    svg += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n"
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"3\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        points, color, x.to + 12, level, x.to + 28, level, color, x.to + 34, level + 4,
        escaped(chart.lines[i].name));
  }
  return svg + "</svg>\n";
}

std::string chart_html(const std::vector<Chart>& charts, const std::string& title) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta "
      "charset=\"utf-8\"><title>{}</title></head>\n"
      "<body>\n<h1>{}</h1>\n",
      escaped(title), escaped(title));
  for (const Chart& chart : charts) html += chart_svg(chart);
  return html + "</body>\n</html>\n";
}

}  // namespace gpushape::render
