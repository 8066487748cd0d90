// Evidence documents: what calibrate writes, estimates read back.
#include <doctest/doctest.h>

#include "document/text_format.hpp"
#include "schema/kinds.hpp"
#include "support/sample_answers.hpp"
#include "support/sample_measurement.hpp"

using namespace gpushape;

namespace {

Result<std::vector<domain::Measurement>> measurements_of(const std::string& text) {
  const auto documents = document::read_any(text, "evidence.yaml");
  REQUIRE(documents.has_value());
  return schema::read_evidence(documents->front());
}

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("evidence reads back as it was written") {
    const domain::Measurement measurement = samples::full_calibration().measurement;
    const std::string text = document::write_yaml(schema::evidence_node({measurement}));
    const auto again = measurements_of(text);
    REQUIRE(again.has_value());
    REQUIRE(again->size() == 1);
    CHECK(again->front() == measurement);
  }

  TEST_CASE("all that a start was asked for reads back as it was written") {
    const domain::Measurement measurement = samples::full_measurement();
    const std::string text = document::write_yaml(schema::evidence_node({measurement}));
    const auto again = measurements_of(text);
    REQUIRE(again.has_value());
    CHECK(again->front() == measurement);
  }

  TEST_CASE("a file of before has sizes of 1 and nothing beside the model") {
    const auto read = measurements_of(
        "apiVersion: gpushape.dev/v1\nkind: Evidence\nstarts:\n- model: a/b\n  engine: vllm\n"
        "  engineVersion: \"0.19\"\n  tensorParallel: 2\n  terms: []\n");
    REQUIRE(read.has_value());
    domain::Measurement expected;
    expected.model = "a/b";
    expected.engine = "vllm";
    expected.version = {0, 19, 0};
    expected.tensor = 2;
    expected.source = "evidence.yaml:4";
    CHECK(read->front() == expected);
  }

  TEST_CASE("evidence that cannot be is refused with its place") {
    const auto faults = [](const std::string& text) {
      const auto result = measurements_of(text);
      REQUIRE_FALSE(result.has_value());
      return to_text(result.error());
    };
    const std::string head = "apiVersion: gpushape.dev/v1\nkind: Evidence\n";
    CHECK(faults(head + "starts: []\n").contains("no start"));
    CHECK(faults("apiVersion: gpushape.dev/v1\nkind: Workload\n").contains("Evidence"));
    const std::string start =
        head + "starts:\n- model: a/b\n  engine: vllm\n  engineVersion: 0.19.0\n  terms:\n";
    CHECK(faults(start + "  - name: weigths\n    measuredBytes: {low: 1, expected: 2, high: 3}\n")
              .contains("weights"));
    CHECK(faults(start + "  - name: weights\n    measuredBytes: {low: 3, expected: 2, high: 3}\n")
              .contains("order"));
    const std::string nothing =
        faults(start + "  - name: weights\n    measuredBytes: {low: 0, expected: 0, high: 0}\n");
    CHECK(nothing.contains("weights of 0 bytes"));
    CHECK(nothing.contains("evidence.yaml:9:39"));  // where the 0 of `expected` stands
    const std::string once =
        "  - name: graphs\n    measuredBytes: {low: 1, expected: 2, high: 3}\n";
    CHECK(faults(start + once + once).contains("'graphs' stands twice"));
    CHECK(
        faults(head + "starts:\n- model: a/b\n  engine: vllm\n  engineVersion: new\n  terms: []\n")
            .contains("version"));
  }
}
