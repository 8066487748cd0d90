// A review for people, for programs and for the tools that watch over repositories: one row and one
// file per format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "domain/review.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

struct ReviewFormatRow {
  std::string_view name;  ///< "sarif"
  std::string_view description;
  std::string_view extension;  ///< of a file of its own
  std::string (*write)(const domain::Review&, const Style&);
};

/// In display order.
std::span<const ReviewFormatRow> review_formats();

std::string review_text(const domain::Review& review, const Style& style);
std::string review_json(const domain::Review& review, const Style& style);
std::string review_yaml(const domain::Review& review, const Style& style);
std::string review_sarif(const domain::Review& review, const Style& style);
std::string review_junit(const domain::Review& review, const Style& style);
std::string review_github(const domain::Review& review, const Style& style);
std::string review_markdown(const domain::Review& review, const Style& style);

/// "2 errors, 1 warning, 0 notes"
std::string count_text(std::span<const domain::Finding> findings);

}  // namespace gpushape::render
