#include "review/review.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "document/text_format.hpp"
#include "inventory/dcgm.hpp"
#include "profiles/profiles.hpp"
#include "review/quantity.hpp"
#include "review/rules.hpp"

using namespace gpushape;
using domain::Finding;
using domain::Severity;

namespace {

namespace fs = std::filesystem;

const std::vector<domain::Device>& tables() {
  static const std::vector<domain::Device> kTables =
      profiles::Profiles::open().value().all().value();
  return kTables;
}

/// What a line "# with: k8s=1.33 as-of=2026-11-01 gpu=h100-sxm-80" says; empty: nothing.
std::string option_of(const std::string& text, const std::string& name) {
  const std::size_t line = text.find("# with: ");
  if (line == std::string::npos) return {};
  const std::string options = text.substr(line, text.find('\n', line) - line) + " ";
  const std::size_t at = options.find(" " + name + "=");
  if (at == std::string::npos) return {};
  const std::size_t from = at + name.size() + 2;
  return options.substr(from, options.find(' ', from) - from);
}

std::vector<Finding> findings_of(const std::string& text) {
  const auto documents = document::read_yaml(text, "manifest.yaml");
  REQUIRE(documents);
  static const catalog::Catalog kCatalog = catalog::Catalog::open().value();
  review::ReviewRequest request{.documents = *documents, .devices = tables(), .catalog = &kCatalog};
  request.kubernetes = option_of(text, "k8s");
  request.vm_operator = option_of(text, "vm-operator");
  if (const std::string gpu = option_of(text, "gpu"); !gpu.empty()) request.gpus = {gpu};
  if (const std::string day = option_of(text, "as-of"); !day.empty()) {
    request.as_of = std::chrono::sys_days(
        std::chrono::year_month_day(std::chrono::year(std::stoi(day.substr(0, 4))),
                                    std::chrono::month(unsigned(std::stoi(day.substr(5, 2)))),
                                    std::chrono::day(unsigned(std::stoi(day.substr(8, 2))))));
  }
  std::vector<domain::UsageSeries> usage;
  if (const std::string file = option_of(text, "usage"); !file.empty()) {
    const auto telemetry = document::read_file(std::string(GPUSHAPE_SOURCE_DIR) + "/" + file);
    REQUIRE(telemetry);
    const auto answer = document::read_json(*telemetry, file);
    REQUIRE(answer);
    usage = inventory::read_usage(*answer).value();
    request.usage = usage;
  }
  domain::Workload workload;
  if (const std::string tokens = option_of(text, "output-tokens"); !tokens.empty()) {
    domain::TokenFigures figures;
    figures.mean = std::stod(tokens);
    workload.traffic.output_tokens =
        domain::Fact<domain::TokenFigures>{figures, domain::Origin::File, "a workload"};
    request.workload = &workload;
  }
  return review::review(request);
}

std::string case_text(std::string_view rule, const char* file) {
  const fs::path path = fs::path(GPUSHAPE_SOURCE_DIR) / "tests/cases/review" / rule / file;
  const auto text = document::read_file(path.string());
  REQUIRE(text);
  return *text;
}

/// Lines that end in "# fires".
std::set<int> marked_lines(const std::string& text) {
  std::set<int> lines;
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++number;
    if (text.substr(start, end - start).ends_with("# fires")) lines.insert(number);
    start = end + 1;
  }
  return lines;
}

}  // namespace

TEST_SUITE("review") {
  TEST_CASE("every rule says what, why, what to do and where that is from") {
    std::set<std::string_view> ids;
    for (const review::RuleRow& rule : review::rules()) {
      CAPTURE(rule.id);
      CHECK(ids.insert(rule.id).second);
      CHECK_FALSE(rule.title.empty());
      CHECK_FALSE(rule.why.empty());
      CHECK_FALSE(rule.fix.empty());
      CHECK_FALSE(rule.source.empty());
      CHECK((rule.function != nullptr));
    }
  }

  TEST_CASE("every rule fires at the marked lines of its case, and there alone") {
    for (const review::RuleRow& rule : review::rules()) {
      CAPTURE(rule.id);
      const std::string text = case_text(rule.id, "fires.yaml");
      std::set<int> lines;
      for (const Finding& finding : findings_of(text)) {
        if (finding.rule != rule.id) continue;
        CAPTURE(finding.message);
        CHECK(lines.insert(finding.place.line).second);
        CHECK(finding.place.file == "manifest.yaml");
        CHECK_FALSE(finding.excerpt.empty());
        CHECK_FALSE(finding.fix.empty());
        CHECK(finding.why == rule.why);
      }
      CHECK_FALSE(lines.empty());
      CHECK(lines == marked_lines(text));
    }
  }

  TEST_CASE("every rule stays quiet on its twin, and so do all others") {
    for (const review::RuleRow& rule : review::rules()) {
      CAPTURE(rule.id);
      for (const Finding& finding : findings_of(case_text(rule.id, "quiet.yaml"))) {
        CAPTURE(finding.rule);
        CAPTURE(finding.place.line);
        FAIL_CHECK(finding.message);
      }
    }
  }

  TEST_CASE("a case folder belongs to a rule") {
    for (const auto& entry :
         fs::directory_iterator(fs::path(GPUSHAPE_SOURCE_DIR) / "tests/cases/review")) {
      const std::string id = entry.path().filename().string();
      CAPTURE(id);
      CHECK(std::ranges::any_of(review::rules(),
                                [&id](const review::RuleRow& rule) { return rule.id == id; }));
    }
  }

  TEST_CASE("hot-add is an error where a topology is set, and a warning else") {
    std::vector<Severity> severities;
    for (const Finding& finding : findings_of(case_text("VC-06", "fires.yaml"))) {
      if (finding.rule == "VC-06") severities.push_back(finding.severity);
    }
    CHECK(severities == std::vector<Severity>{Severity::Error, Severity::Warning});
  }

  // KB 323402: total memory, rounded up to a power of two, then the next: 8 x 80 -> 1024 -> 2048.
  TEST_CASE("the fix of a small MMIO space names the size") {
    const auto findings = findings_of(case_text("VC-03", "fires.yaml"));
    const auto first = std::ranges::find(findings, "VC-03", &Finding::rule);
    REQUIRE(first != findings.end());
    CHECK(first->fix.find("2048") != std::string::npos);
    CHECK(first->message.find("512") != std::string::npos);
  }

  TEST_CASE("findings stand in the order of the documents and their lines") {
    const std::string text =
        case_text("VC-04", "fires.yaml") + "---\n" + case_text("VC-01", "fires.yaml");
    const auto findings = findings_of(text);
    CHECK(std::ranges::is_sorted(findings, {}, [](const Finding& f) { return f.place.line; }));
    CHECK(findings.size() >= 6);
  }

  TEST_CASE("a List counts as its items") {
    const auto findings = findings_of(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: vmoperator.vmware.com/v1alpha2\n  kind: VirtualMachineClass\n"
        "  metadata: {name: a}\n"
        "  spec:\n    hardware:\n      cpus: 4\n      memory: 16Gi\n"
        "      devices: {vgpuDevices: [{profileName: vendor_x-1c}]}\n");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].rule == "VC-01");
    CHECK(findings[0].place.line == 10);
  }

  TEST_CASE("classes that gpushape writes itself have no findings") {
    int classes = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/emit")) {
      if (entry.path().filename() != "vm-class.yaml") continue;
      CAPTURE(entry.path().string());
      const auto text = document::read_file(entry.path().string());
      REQUIRE(text);
      for (const Finding& finding : findings_of(*text)) {
        CAPTURE(finding.rule);
        FAIL_CHECK(finding.message);
      }
      ++classes;
    }
    CHECK(classes >= 6);
  }

  TEST_CASE("documents of other kinds and shapes are passed over") {
    for (const char* text : {"kind: Pod\n", "[1, 2]\n", "hello\n",
                             "apiVersion: vmoperator.vmware.com/v1alpha2\n"
                             "kind: VirtualMachineClass\nspec: [1]\n",
                             "apiVersion: vmoperator.vmware.com/v1alpha2\n"
                             "kind: VirtualMachineClass\nspec: {hardware: {cpus: many}, "
                             "configSpec: {deviceChange: {a: 1}, extraConfig: 3}}\n"}) {
      CAPTURE(text);
      CHECK(findings_of(text).empty());
    }
  }

  TEST_CASE("a quantity is a number or the text of one") {
    CHECK(review::quantity_of(document::Node(12)) == 12);
    CHECK(review::quantity_of(document::Node("1.5k")) == 1500);
    CHECK_FALSE(review::quantity_of(document::Node("ten")));
    CHECK_FALSE(review::quantity_of(document::Node(true)));
  }
}
