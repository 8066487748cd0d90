// Configs as they are published, as far as they say what a model holds, beside the count of their
// checkpoints.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>

#include "catalog/config.hpp"
#include "texts.hpp"

namespace gpushape::catalog::testing {

struct Published {
  std::string id;
  std::int64_t total;
  std::string config;
};

/// Of the row that is named.
inline std::string config_of(std::span<const Published> rows, const std::string& id) {
  for (const Published& row : rows) {
    if (row.id == id) return row.config;
  }
  FAIL(id);
  return {};
}

inline void check_totals(std::span<const Published> rows) {
  for (const Published& row : rows) {
    CAPTURE(row.id);
    const auto model = read_config(json(row.config), row.id);
    if (!model) FAIL(messages(model.error()));
    CHECK(model->parameters.total == row.total);
  }
}

}  // namespace gpushape::catalog::testing
