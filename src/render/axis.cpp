#include "render/axis.hpp"

#include <algorithm>

namespace gpushape::render {
namespace {

constexpr int kAxisWidth = 64;

/// Columns a unit of the axis: whole ones, so that boxes of equal size look equal.
int columns_per_unit(std::int64_t length) {
  return std::max<int>(1, static_cast<int>(kAxisWidth / std::max<std::int64_t>(length, 1)));
}

}  // namespace

std::string axis_line(std::int64_t length, const std::vector<Box>& boxes) {
  const int unit = columns_per_unit(length);
  const std::int64_t units_per_column =
      length > kAxisWidth ? (length + kAxisWidth - 1) / kAxisWidth : 1;
  std::string line(static_cast<std::size_t>(length / units_per_column * unit), ' ');
  for (const Box& box : boxes) {
    const auto from = static_cast<std::size_t>(box.start / units_per_column * unit);
    const auto to = std::min(
        line.size(), static_cast<std::size_t>((box.start + box.size) / units_per_column * unit));
    if (to <= from) continue;
    const std::size_t inside = to - from >= 2 ? to - from - 2 : 0;
    const std::string label = box.label.substr(0, inside);
    const std::size_t left = (inside - label.size()) / 2;
    std::string text =
        "[" + std::string(left, ' ') + label + std::string(inside - label.size() - left, ' ') + "]";
    line.replace(from, to - from, text.substr(0, to - from));
  }
  return line;
}

std::string axis_scale(std::int64_t length) {
  const int unit = columns_per_unit(length);
  const std::int64_t units_per_column =
      length > kAxisWidth ? (length + kAxisWidth - 1) / kAxisWidth : 1;
  std::string line(static_cast<std::size_t>(length / units_per_column * unit) + 1, ' ');
  const std::int64_t step = unit >= 4 ? 1 : std::max<std::int64_t>(length / 8, 1);
  for (std::int64_t mark = 0; mark < length; mark += step) {
    const std::string text = std::to_string(mark);
    const auto at = static_cast<std::size_t>(mark / units_per_column * unit);
    if (at + text.size() < line.size()) line.replace(at, text.size(), text);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace gpushape::render
