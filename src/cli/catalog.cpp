// gpushape catalog: what the model catalog holds, whether it is sound, and how to add to it.
#include "cli/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/listing.hpp"

namespace gpushape::cli {
namespace {

struct CatalogWord {
  std::string_view word;
  std::string_view argument;  ///< what stands behind it; empty for nothing
  int (*run)(const Invocation&, const Terminal&);
};
constexpr auto kCatalogWords = std::to_array<CatalogWord>({
    {"list", "", list_catalog},
    {"show", "MODEL", show_model},
    {"check", "", check_catalog},
    {"import", "PATH", import_model},
});

}  // namespace

int run_catalog(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty())
    return refuse(faults, terminal);
  invocation.positionals = parsed.positionals;
  std::vector<std::string> words;
  words.reserve(kCatalogWords.size());
  for (const CatalogWord& row : kCatalogWords) words.emplace_back(row.word);
  const Result<std::string> word = question_of(parsed, "catalog", words);
  if (!word) return refuse(word.error(), terminal);
  const auto row = std::ranges::find(kCatalogWords, *word, &CatalogWord::word);
  const std::size_t expected = row->argument.empty() ? 1 : 2;
  if (parsed.positionals.size() < expected) {
    return refuse({complaint(fmt::format("catalog {} needs a {}", row->word, row->argument))},
                  terminal);
  }
  if (parsed.positionals.size() > expected) {
    return refuse({complaint(fmt::format("catalog {} takes no '{}'", row->word,
                                         parsed.positionals[expected]))},
                  terminal);
  }
  return row->run(invocation, terminal);
}

}  // namespace gpushape::cli
