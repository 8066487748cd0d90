// The table of everyday workloads in examples/advice/README.md: every command gives the answer that
// stands there, by the rules that stand there. With GPUSHAPE_UPDATE_GOLDEN set the answers are
// written anew; the diff is then for a person to judge.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/program.hpp"
#include "document/text_format.hpp"

using namespace gpushape;
using gpushape::test::run_line;

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string line;     ///< as it stands in the table
  std::string title;    ///< column 2
  std::string command;  ///< without the ticks
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (const char letter : line) {
    if (letter != '|') {
      cell += letter;
      continue;
    }
    const std::size_t first = cell.find_first_not_of(' ');
    const std::size_t last = cell.find_last_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    cell.clear();
  }
  return cells;
}

/// "Verdict   40C of …" in one line.
std::string verdict_of(const std::string& text) {
  constexpr std::string_view kVerdict = "Verdict";
  std::string verdict;
  bool is_inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kVerdict)) {
      is_inside = true;
      line = line.substr(kVerdict.size());
    } else if (!line.starts_with(' ')) {
      is_inside = false;
    }
    if (!is_inside) continue;
    const std::size_t first = line.find_first_not_of(' ');
    verdict += (verdict.empty() ? "" : " ") + line.substr(first);
  }
  return verdict;
}

void add_rules(const document::Node* reasons, std::vector<std::string>& rules) {
  if (reasons == nullptr) return;
  for (const document::Node& reason : reasons->items()) {
    const document::Node* rule = reason.find("rule");
    if (rule == nullptr || rule->text().size() != 5 || rule->text()[2] != '-') continue;
    if (std::ranges::find(rules, rule->text()) == rules.end()) rules.push_back(rule->text());
  }
}

/// Of the first shape, then of the findings; of what was refused where nothing was found.
std::string rules_of(const std::string& json) {
  const auto advice = document::read_json(json, "advice");
  if (!advice) return "none";
  std::vector<std::string> rules;
  const document::Node* shapes = advice->root.find("shapes");
  if (shapes != nullptr && !shapes->items().empty())
    add_rules(shapes->items().front().find("reasons"), rules);
  add_rules(advice->root.find("findings"), rules);
  const document::Node* rejected = advice->root.find("rejected");
  if (shapes != nullptr && shapes->items().empty() && rejected != nullptr) {
    for (const document::Node& shape : rejected->items()) {
      document::Node one = document::Node::sequence();
      if (const document::Node* reason = shape.find("reason")) one.add(*reason);
      add_rules(&one, rules);
    }
  }
  return fmt::format("{}", fmt::join(rules, " "));
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the table of everyday workloads answers as it stands there") {
    const fs::path page = fs::path(GPUSHAPE_SOURCE_DIR) / "examples/advice/README.md";
    const bool is_update = std::getenv("GPUSHAPE_UPDATE_GOLDEN") != nullptr;
    std::istringstream text(test::read_text(page));
    std::string written;
    int rows = 0;
    for (std::string line; std::getline(text, line);) {
      const std::vector<std::string> cells = cells_of(line);
      const bool is_row = cells.size() >= 6 && cells[3].starts_with("`gpushape advise ");
      if (!is_row) {
        written += line + "\n";
        continue;
      }
      ++rows;
      const std::string command = cells[3].substr(10, cells[3].size() - 11);
      CAPTURE(command);
      const std::string verdict = verdict_of(run_line(command + " -q").out);
      const std::string rules = rules_of(run_line(command + " -o json").out);
      CHECK_FALSE(verdict.empty());
      const std::string answered =
          fmt::format("| {} | {} | {} | {} | {} |", cells[1], cells[2], cells[3], verdict, rules);
      if (!is_update) CHECK(answered == line);
      written += answered + "\n";
    }
    CHECK(rows >= 40);
    if (is_update) std::ofstream(page, std::ios::binary) << written;
  }
}
