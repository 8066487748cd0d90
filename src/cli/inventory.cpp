// gpushape inventory: questions about one cluster.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/inventory_questions.hpp"
#include "schema/fields.hpp"

namespace gpushape::cli {
namespace {

constexpr std::string_view kImport = "import";

struct InventoryWord {
  std::string_view word;
  int (*run)(const Question&);
};
constexpr auto kInventoryWords = std::to_array<InventoryWord>({
    {"show", questions::show},
    {"check", questions::check},
    {"fragmentation", questions::fragmentation},
    {"usage", questions::usage},
    {"failover", questions::failover},
    {"defragment", questions::defragment},
});

}  // namespace

document::Node new_document(std::string_view kind, const domain::Cluster& cluster) {
  document::Node node = schema::new_document(kind);
  if (!cluster.name.empty()) node.set("cluster", cluster.name);
  return node;
}

std::string figure(double value) { return fmt::format("{:.2f}", value); }

int run_inventory(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> words = {std::string(kImport)};
  for (const InventoryWord& row : kInventoryWords) words.emplace_back(row.word);
  const Result<std::string> word = question_of(parsed, "inventory", words);
  if (!word) return refuse(word.error(), terminal);
  std::vector<std::string> paths = invocation.clusters;
  paths.insert(paths.end(), parsed.positionals.begin() + 1, parsed.positionals.end());
  if (paths.empty()) {
    return refuse({complaint(fmt::format("inventory {} needs an INVENTORY", *word),
                             "name a Cluster document, a folder of them, or - for standard input")},
                  terminal);
  }
  if (*word == kImport) return import_inventory(paths, invocation, terminal);
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  if (*word == "defragment" && invocation.files.empty()) {
    return refuse({complaint("inventory defragment needs a contract",
                             "name what should become placeable: -f CONTRACT")},
                  terminal);
  }
  if (*word == "usage" && invocation.usage_files.empty()) {
    return refuse({complaint("inventory usage needs telemetry",
                             "save Prometheus' answer for the metrics of the DCGM exporter and "
                             "name it: --usage FILE")},
                  terminal);
  }
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<LoadedCluster> loaded = load_cluster(paths, *profiles);
  if (!loaded) return refuse(loaded.error(), terminal);
  terminal.err << to_text(loaded->notes);
  const auto row = std::ranges::find(kInventoryWords, *word, &InventoryWord::word);
  return row->run(
      {.loaded = *loaded, .invocation = invocation, .terminal = terminal, .format = *format});
}

}  // namespace gpushape::cli
