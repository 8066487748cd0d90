// JUnit XML as CI systems read it: a suite for every file, a failing case for every finding, and
// one passing case where a file has none. Source: the Jenkins xunit plugin's junit-10.xsd.
#include <fmt/format.h>

#include <algorithm>

#include "render/review_formats.hpp"

namespace gpushape::render {
namespace {

/// Text and attribute values of XML 1.0; what it cannot hold at all is left out.
std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        if (static_cast<unsigned char>(letter) >= 0x20U || letter == '\t') result += letter;
    }
  }
  return result;
}

std::string case_of(const domain::Finding& finding) {
  const std::string name = fmt::format("{} line {}", finding.rule, finding.place.line);
  const std::string head = fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\"", xml_escaped(name),
      xml_escaped(finding.place.file), xml_escaped(finding.place.file), finding.place.line);
  if (finding.severity == domain::Severity::Note) {
    return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head,
                       xml_escaped(finding.message));
  }
  return fmt::format(
      "{}>\n      <failure type=\"{}\" message=\"{}\">{}:{}:{}: {}&#10;why: {}&#10;help: "
      "{}</failure>\n    </testcase>\n",
      head, name_of(finding.severity), xml_escaped(finding.message),
      xml_escaped(finding.place.file), finding.place.line, finding.place.column,
      xml_escaped(finding.message), xml_escaped(finding.why), xml_escaped(finding.fix));
}

struct Suite {
  std::string text;
  int tests = 0;
  int failures = 0;
};

Suite suite_of(const std::string& file, const domain::Review& review) {
  Suite suite;
  std::string cases;
  for (const domain::Finding& finding : review.findings) {
    if (finding.place.file != file) continue;
    ++suite.tests;
    suite.failures += finding.severity == domain::Severity::Note ? 0 : 1;
    cases += case_of(finding);
  }
  if (suite.tests == 0) {
    suite.tests = 1;
    cases =
        fmt::format("    <testcase name=\"no findings\" classname=\"{}\"/>\n", xml_escaped(file));
  }
  suite.text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}"
      "  </testsuite>\n",
      xml_escaped(file), suite.tests, suite.failures, cases);
  return suite;
}

}  // namespace

std::string review_junit(const domain::Review& review, const Style& /*style*/) {
  std::string suites;
  int tests = 0;
  int failures = 0;
  for (const std::string& file : review.files) {
    const Suite suite = suite_of(file, review);
    suites += suite.text;
    tests += suite.tests;
    failures += suite.failures;
  }
  for (const Diagnostic& fault : review.faults) {
    ++tests;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"1\" failures=\"0\" errors=\"1\">\n    <testcase "
        "name=\"readable\" classname=\"{}\">\n      <error message=\"{}\"/>\n    </testcase>\n"
        "  </testsuite>\n",
        xml_escaped(fault.span.file), xml_escaped(fault.span.file), xml_escaped(fault.message));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpushape review\" "
      "tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      tests, failures, review.faults.size(), suites);
}

}  // namespace gpushape::render
