// The rule book as a user meets it: every example shows its rule, the documentation is up to date,
// and a rules file changes what it says.
#include "advise/rules.hpp"

#include <doctest/doctest.h>

#include <set>

#include "advise/rule_settings.hpp"
#include "cli/program.hpp"
#include "document/text_format.hpp"
#include "review/rules.hpp"

using namespace gpushape;
using gpushape::test::Outcome;
using gpushape::test::run_line;

namespace {

namespace fs = std::filesystem;

/// The names that the published schema of Rules allows in a section.
std::set<std::string> schema_names(const std::string& section) {
  const auto schema = document::read_json(
      test::read_text(fs::path(GPUSHAPE_SOURCE_DIR) / "src/schema/rules.schema.json"), "schema");
  REQUIRE(schema);
  const document::Node* properties =
      schema->root.find("properties")->find(section)->find("properties");
  std::set<std::string> names;
  for (const auto& entry : properties->entries()) names.insert(entry.name);
  return names;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the example of every rule of advice names the rule in its answer") {
    for (const advise::RuleRow& row : advise::rules()) {
      CAPTURE(row.id);
      const Outcome outcome = run_line(std::string(row.example) + " -o json");
      CHECK(outcome.status <= 1);
      CHECK(outcome.out.find("\"" + std::string(row.id) + "\"") != std::string::npos);
    }
  }

  TEST_CASE("every rule is listed once and explained") {
    const Outcome list = run_line("rules");
    CHECK(list.status == 0);
    const auto check = [&](std::string_view id) {
      CAPTURE(id);
      const std::size_t first = list.out.find("  " + std::string(id) + " ");
      CHECK(first != std::string::npos);
      const Outcome one = run_line("explain " + std::string(id));
      CHECK(one.status == 0);
      CHECK(one.out.starts_with(id));
      CHECK(one.out.find("  source ") != std::string::npos);
    };
    for (const advise::RuleRow& row : advise::rules()) check(row.id);
    for (const review::RuleRow& row : review::rules()) check(row.id);
  }

  TEST_CASE("docs/rules.md is what gpushape rules -o markdown writes") {
    const fs::path page = fs::path(GPUSHAPE_SOURCE_DIR) / "docs/rules.md";
    const Outcome outcome = run_line("rules -o markdown");
    if (std::getenv("GPUSHAPE_UPDATE_GOLDEN") != nullptr)
      std::ofstream(page, std::ios::binary) << outcome.out;
    CHECK_MESSAGE(outcome.out == test::read_text(page),
                  "run: gpushape rules -o markdown --output-file docs/rules.md");
  }

  TEST_CASE("rules are kept by group or id, and names are corrected") {
    const Outcome some = run_line("rules md LC-03");
    CHECK(some.out.find("MD-06") != std::string::npos);
    CHECK(some.out.find("LC-03") != std::string::npos);
    CHECK(some.out.find("CM-01") == std::string::npos);
    CHECK(some.out.find("LC-01") == std::string::npos);
    CHECK(run_line("rules CN").status == 2);
    const Outcome typo = run_line("explain CM-6");
    CHECK(typo.status == 2);
    CHECK(typo.err.find("did you mean 'CM-06'") != std::string::npos);
    CHECK(run_line("explain").status == 2);
    CHECK(run_line("explain CM-06 -o markdown").status == 2);
  }

  TEST_CASE("a rules file changes thresholds, constants and severities, and says where") {
    const Outcome one = run_line("explain CM-06 --rules examples/rules/house.yaml");
    CHECK(one.out.find("1.3 P99 / P50") != std::string::npos);
    CHECK(one.out.find("examples/rules/house.yaml:") != std::string::npos);
    const Outcome review = run_line("rules VC --rules examples/rules/house.yaml");
    CHECK(review.out.find("VC-11      off") != std::string::npos);
    CHECK(review.out.find("VC-06      error") != std::string::npos);
    const Outcome advice = run_line(
        "advise llama-3.1-8b-instruct --context 8k --concurrency 16 --gpu h100-sxm-80 --rules "
        "examples/rules/house.yaml -o json");
    CHECK(advice.out.find("threshold reviewDays 7, examples/rules/house.yaml:") !=
          std::string::npos);
    CHECK(advice.out.find("\"days\": 7") != std::string::npos);
  }

  TEST_CASE("the published schema of Rules knows every number, and no other") {
    std::set<std::string> thresholds;
    for (const auto& row : advise::threshold_rows()) thresholds.insert(std::string(row.name));
    CHECK(schema_names("thresholds") == thresholds);
    std::set<std::string> constants;
    for (const auto& row : advise::constant_rows()) constants.insert(std::string(row.name));
    CHECK(schema_names("contract") == constants);
  }
}
