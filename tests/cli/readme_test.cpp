// The tour of README.md: every ```console block runs, and prints what the page says. A line of
// "..." stands for any lines.
#include <doctest/doctest.h>

#include "cli/program.hpp"

namespace {

struct Example {
  std::string command;
  std::vector<std::string> expected;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Example> examples() {
  std::vector<Example> found;
  bool is_inside = false;
  for (const std::string& line :
       lines_of(gpushape::test::read_text(std::string(GPUSHAPE_SOURCE_DIR) + "/README.md"))) {
    if (line.starts_with("```")) {
      is_inside = line == "```console";
    } else if (is_inside && line.starts_with("$ ")) {
      found.push_back({line.substr(2), {}});
    } else if (is_inside && !found.empty()) {
      found.back().expected.push_back(line);
    }
  }
  return found;
}

/// Whether `actual` is `expected`, where "..." stands for any number of lines.
bool is_as_shown(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  std::size_t at = 0;
  bool is_open = false;
  for (const std::string& line : expected) {
    if (line == "...") {
      is_open = true;
      continue;
    }
    while (is_open && at < actual.size() && actual[at] != line) ++at;
    if (at >= actual.size() || actual[at] != line) return false;
    ++at;
    is_open = false;
  }
  return is_open || at == actual.size();
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("every example of the tour prints what the page shows") {
    const std::vector<Example> tour = examples();
    CHECK(tour.size() >= 4);
    const gpushape::test::TemporaryFolder folder;
    for (const Example& example : tour) {
      CAPTURE(example.command);
      std::string line = example.command;
      const std::string program = "scripts/run ";
      REQUIRE(line.starts_with(program));
      line = line.substr(program.size());
      // The page writes to out/; the suite writes nowhere into the checkout.
      if (const std::size_t at = line.find("--output-dir out"); at != std::string::npos) {
        line.replace(at, 16, "--output-dir " + folder.path().string());
      }
      const gpushape::test::Outcome outcome = gpushape::test::run_line(line);
      const bool is_shown = is_as_shown(example.expected, lines_of(outcome.out));
      if (!is_shown) MESSAGE(outcome.out << outcome.err);
      CHECK(is_shown);
    }
  }
}
