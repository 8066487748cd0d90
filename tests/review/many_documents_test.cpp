// Reviews of whole repositories: what a document costs does not grow with the number of the others.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "support/reviewed.hpp"

using namespace gpushape;

namespace {

/// Seconds that a review of the text takes, and nothing is found.
double seconds_of_review(const std::string& text) {
  const auto documents = document::read_yaml(text, "many.yaml");
  REQUIRE(documents);
  const auto start = std::chrono::steady_clock::now();
  const auto findings = review::review({.documents = *documents,
                                        .devices = example::reviewed_devices(),
                                        .catalog = &example::built_in_catalog()});
  CHECK(findings.empty());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  for (std::size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + with.size())) {
    text.replace(at, old.size(), with);
  }
  return text;
}

/// The document so many times, each with a name of its own.
std::string many_of(const std::string& text, int count) {
  const std::size_t from = text.find("  name: ") + 8;
  const std::string name = text.substr(from, text.find('\n', from) - from);
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += "---\n" + replaced(text, name, "n" + std::to_string(i));
  }
  return all;
}

}  // namespace

TEST_SUITE("review") {
  // Ours: some 0.1 s on one core; when every class looked through the contracts of all others, 250
  // of them took two minutes.
  TEST_CASE("hundreds of classes and claims are reviewed in no time") {
    constexpr double kMostSeconds = 20;
    for (const char* file : {"vm-class.yaml", "resource-claim-template.yaml"}) {
      CAPTURE(file);
      bool is_found = false;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(
               std::filesystem::path(GPUSHAPE_SOURCE_DIR) / "tests/golden/emit")) {
        if (is_found || entry.path().filename() != file) continue;
        const auto text = document::read_file(entry.path().string());
        REQUIRE(text);
        CHECK(seconds_of_review(many_of(*text, 300)) < kMostSeconds);
        is_found = true;
      }
      CHECK(is_found);
    }
  }
}
