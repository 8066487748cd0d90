// Source of the grammar: k8s.io/apimachinery pkg/api/resource/quantity.go.
#include "document/quantity.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace gpushape;

TEST_SUITE("document") {
  TEST_CASE("quantities are read as Kubernetes reads them") {
    struct Row {
      std::string_view text;
      double value;
    };
    const std::vector<Row> rows = {{"240Gi", 240.0 * 1024 * 1024 * 1024},
                                   {"16000m", 16},
                                   {"1.5k", 1500},
                                   {"2E", 2e18},
                                   {"1e3", 1000},
                                   {"2E3", 2000},
                                   {"0", 0},
                                   {".5", 0.5},
                                   {"+1Ki", 1024},
                                   {"-1", -1}};
    for (const Row& row : rows) {
      CAPTURE(row.text);
      const auto value = document::quantity_of(row.text);
      REQUIRE(value);
      CHECK(*value == doctest::Approx(row.value));
    }
  }

  TEST_CASE("what is no quantity is absent") {
    for (const std::string_view bad :
         {"", "Gi", "1GB", "nan", "inf", "-inf", "ten", "1 Gi", "0x10", "+-1", "1e400", "1e308E"}) {
      CAPTURE(bad);
      CHECK_FALSE(document::quantity_of(bad).has_value());
    }
  }
}
