// The totals of entries against published totals, where those were counted twice.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

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

}  // namespace

TEST_SUITE("catalog") {
  TEST_CASE("entries have the exact totals of published counts that a formula agrees with") {
    const char* shared = std::getenv("GPUSHAPE_SHARED");
    if (shared == nullptr) {
      MESSAGE("skipped: GPUSHAPE_SHARED is not set");
      return;
    }
    const auto catalog = gpushape::catalog::Catalog::open().value();
    std::istringstream lines(
        file_text((std::filesystem::path(shared) / "data/models/parameter-counts.csv").string()));
    int agreeing = 0;
    for (std::string line; std::getline(lines, line);) {
      while (!line.empty() && (line.back() == '\r' || line.back() == '"')) line.pop_back();
      const Row row = row_of(line);
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
}
