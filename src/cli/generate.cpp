// gpushape generate: the manual page, and completions for shells, from the tables of the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/edit_distance.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/run.hpp"

namespace gpushape::cli {
namespace {

struct PieceRow {
  std::string_view name;
  std::string (*text)();
};
constexpr auto kGenerated = std::to_array<PieceRow>({
    {"man", [] { return manual_page(program_version()); }},
    {"bash", bash_completion},
    {"zsh", zsh_completion},
    {"fish", fish_completion},
});

}  // namespace

int run_generate(const ParsedFlags& parsed, Invocation&, const Terminal& terminal) {
  constexpr std::string_view kExpected = "expected one of man, bash, zsh, fish";
  if (parsed.positionals.size() != 1) {
    return refuse(
        {complaint(fmt::format("one word is expected, found {}", parsed.positionals.size()),
                   std::string(kExpected))},
        terminal);
  }
  const std::string& word = parsed.positionals.front();
  const auto* const row = std::ranges::find(kGenerated, word, &PieceRow::name);
  if (row == kGenerated.end()) {
    std::vector<std::string> names;
    names.reserve(kGenerated.size());
    for (const PieceRow& each : kGenerated) names.emplace_back(each.name);
    return refuse({complaint(fmt::format("there is no '{}' to generate", word),
                             suggestion(word, names, std::string(kExpected)))},
                  terminal);
  }
  terminal.out << row->text();
  return kDone;
}

}  // namespace gpushape::cli
