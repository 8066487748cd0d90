#include "render/review_formats.hpp"

#include <array>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"

namespace gpushape::render {

namespace {

constexpr auto kReviewFormats = std::to_array<ReviewFormatRow>({
    {"text", "for people: place, excerpt, why and help", "txt", review_text},
    {"json", "the document as JSON, and a baseline for later; its schema: gpushape schema Review",
     "json", review_json},
    {"yaml", "the same document as YAML", "yaml", review_yaml},
    {"sarif", "SARIF 2.1.0, for code scanning", "sarif", review_sarif},
    {"junit", "JUnit XML, a suite for every file", "xml", review_junit},
    {"github", "annotations of GitHub Actions", "txt", review_github},
    {"markdown", "a table and the findings, for a comment on a pull request", "md",
     review_markdown},
});

}  // namespace

std::span<const ReviewFormatRow> review_formats() { return kReviewFormats; }

std::string review_json(const domain::Review& review, const Style& /*style*/) {
  return document::write_json(schema::to_node(review));
}

std::string review_yaml(const domain::Review& review, const Style& /*style*/) {
  return document::write_yaml(schema::to_node(review));
}

}  // namespace gpushape::render
