// Every form of a review. The SARIF document is held against the published schema by
// tests/cli/check_documents.sh.
#include "render/review_formats.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape;

namespace {

domain::Review sample_review() {
  domain::Finding finding;
  finding.rule = "VC-01";
  finding.severity = domain::Severity::Error;
  finding.place = {.file = "a b.yaml", .line = 3, .column = 9, .length = 3};
  finding.message = "VM class 'ä' reserves 1, < 100 %";
  finding.why = "it | fails";
  finding.fix = "reserve";
  finding.excerpt = "  ä mem: 8Gi";
  finding.object = "VirtualMachineClass a";
  finding.path = "spec.hardware.memory";
  finding.edits = {{3, 9, 3, "9Gi"}};
  domain::Review review;
  review.files = {"a b.yaml", "clean.yaml"};
  review.documents = 2;
  review.findings = {finding, finding};
  review.findings[1].severity = domain::Severity::Note;
  review.faults = {{.message = "broken: here",
                    .span = {.file = "c.yaml", .line = 2, .column = 1, .length = 1},
                    .excerpt = "x",
                    .label = {},
                    .help = {}}};
  return review;
}

}  // namespace

TEST_SUITE("render") {
  TEST_CASE("every format of a review has a name, a description and writes") {
    std::set<std::string_view> names;
    for (const render::ReviewFormatRow& row : render::review_formats()) {
      CHECK(names.insert(row.name).second);
      CHECK_FALSE(row.description.empty());
      CHECK_FALSE(row.write(sample_review(), {}).empty());
    }
    CHECK(names.size() == 7);
  }

  // OASIS SARIF 2.1.0, 3.30: columns count characters from 1, the end column is behind the region.
  TEST_CASE("SARIF names rule, level, place and fix") {
    const auto read = document::read_json(render::review_sarif(sample_review(), {}), "r.sarif");
    REQUIRE(read);
    CHECK(read->root.find("version")->text() == "2.1.0");
    const document::Node& run = read->root.find("runs")->items().at(0);
    const auto& results = run.find("results")->items();
    REQUIRE(results.size() == 2);
    CHECK(results[0].find("ruleId")->text() == "VC-01");
    CHECK(results[0].find("level")->text() == "error");
    const document::Node& physical =
        *results[0].find("locations")->items().at(0).find("physicalLocation");
    CHECK(physical.find("artifactLocation")->find("uri")->text() == "a%20b.yaml");
    // byte 9 of "  ä mem: 8Gi" is character 8
    CHECK(physical.find("region")->find("startColumn")->integer() == 8);
    CHECK(physical.find("region")->find("endColumn")->integer() == 11);
    CHECK(results[0].find("fixes") != nullptr);
    // Two findings alike keep apart.
    CHECK_FALSE(*results[0].find("partialFingerprints") == *results[1].find("partialFingerprints"));
    CHECK_FALSE(run.find("invocations")->items().at(0).find("executionSuccessful")->boolean());
  }

  TEST_CASE("JUnit counts failures, passes clean files and tells of broken ones") {
    const std::string xml = render::review_junit(sample_review(), {});
    CHECK(
        xml.find("<testsuites name=\"gpushape review\" tests=\"4\" failures=\"1\" errors=\"1\">") !=
        std::string::npos);
    CHECK(xml.find("&lt; 100 %") != std::string::npos);
    CHECK(xml.find("<testcase name=\"no findings\" classname=\"clean.yaml\"/>") !=
          std::string::npos);
  }

  // actions/toolkit, command.ts: %, line ends and in properties : and , are written by number.
  TEST_CASE("annotations escape what would end them") {
    const std::string text = render::review_github(sample_review(), {});
    CHECK(
        text.starts_with("::error file=a b.yaml,line=3,col=9,title=VC-01::VM class 'ä' reserves "
                         "1, < 100 %25%0Awhy: it | fails%0Ahelp: reserve\n::notice "));
    CHECK(text.find("::error file=c.yaml,line=2,col=1::broken: here\n") != std::string::npos);
  }

  TEST_CASE("Markdown keeps its table whole") {
    const std::string text = render::review_markdown(sample_review(), {});
    CHECK(text.find("| error | VC-01 | a b.yaml:3 | VM class 'ä' reserves 1, &lt; 100 % |") !=
          std::string::npos);
  }
}
