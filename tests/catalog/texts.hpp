// Helpers of the catalog's tests: documents from text.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalog/config.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog::testing {

inline document::Document json(const std::string& text) {
  auto document = document::read_json(text, "config.json");
  REQUIRE(document);
  return *document;
}

inline document::Document yaml(const std::string& text) {
  auto documents = document::read_yaml(text, "entry.yaml");
  REQUIRE(documents);
  REQUIRE(documents->size() == 1);
  return documents->front();
}

/// `text` with the first `from` replaced; a `from` that is not there fails the test.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline std::string messages(const Diagnostics& diagnostics) { return to_text(diagnostics); }

inline bool mentions(const Diagnostics& diagnostics, const std::string& words) {
  return messages(diagnostics).find(words) != std::string::npos;
}

inline domain::Model model_of(const std::string& config) {
  const auto model = read_config(json(config), "some/model");
  if (!model) FAIL(messages(model.error()));
  return *model;
}

inline std::string file_text(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  REQUIRE(input.good());
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace gpushape::catalog::testing
