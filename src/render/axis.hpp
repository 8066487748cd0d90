// The placement axis of a GPU as a line of text: GB or memory slices from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpushape::render {

/// A stretch of the placement axis with what stands in it.
struct Box {
  std::int64_t start = 0;
  std::int64_t size = 0;
  std::string label;
};

/// Boxes of one line, "[  1  ][  2  ]"; on an axis longer than the page several units share a
/// column.
std::string axis_line(std::int64_t length, const std::vector<Box>& boxes);

/// The numbers above it.
std::string axis_scale(std::int64_t length);

}  // namespace gpushape::render
