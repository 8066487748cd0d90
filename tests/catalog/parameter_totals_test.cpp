// The totals of entries against published totals, where those were counted twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "texts.hpp"

using namespace gpushape::catalog::testing;

namespace {

// id, exact total, and the last column, which says what an independent count gave. Only the columns
// between may hold quoted commas.
struct Row {
  std::string id;
  std::string total;
  std::string check;
};

Row row_of(const std::string& line) {
  const std::size_t first = line.find(',');
  const std::size_t second = line.find(',', first + 1);
  return {line.substr(0, first), line.substr(first + 1, second - first - 1),
          line.substr(line.rfind(',') + 1)};
}

std::vector<Row> published_rows(const char* shared) {
  std::istringstream lines(
      file_text((std::filesystem::path(shared) / "data/models/parameter-counts.csv").string()));
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '"')) line.pop_back();
    rows.push_back(row_of(line));
  }
  return rows;
}

bool is_explained(const gpushape::domain::Model& model, const std::string& total) {
  return std::ranges::any_of(
      model.notes, [&](const std::string& note) { return note.find(total) != std::string::npos; });
}

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("entries have the exact totals of published counts that a formula agrees with") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    int agreeing = 0;
    for (const Row& row : published_rows(shared)) {
      if (!row.check.starts_with("formula agrees exactly") || row.total.empty()) continue;
      CAPTURE(row.id);
      const auto model = catalog.find(row.id);
      REQUIRE(model);
      CHECK(model->id == row.id);
      CHECK(std::to_string(model->parameters.total) == row.total);
      ++agreeing;
    }
    CHECK(agreeing > 80);
  }

  TEST_CASE("entries hold what the Hub counts, or say why their checkpoints hold something else") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    int entries = 0;
    for (const Row& row : published_rows(shared)) {
      const auto model = catalog.find(row.id);
      const bool has_entry = model && model->id == row.id && !model->weights.is_told_by_name;
      // Packed integers and scales are no parameters.
      if (!has_entry || row.total.empty() || model->weights.linear != model->weights.other)
        continue;
      CAPTURE(row.id);
      const std::string stored = std::to_string(model->parameters.stored.value_or(0));
      const bool is_held = std::to_string(model->parameters.total) == row.total ||
                           stored == row.total || is_explained(*model, row.total);
      CHECK(is_held);
      ++entries;
    }
    CHECK(entries > 450);
  }
}
