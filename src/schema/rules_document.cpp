// The document form of what a user sets of the rule book: kind Rules.
#include "schema/rules_document.hpp"

#include <cmath>
#include <utility>

#include "document/reader.hpp"
#include "schema/header.hpp"

namespace gpushape::schema {

using document::Node;
using document::Reader;
using domain::NumberRow;
using domain::Severity;

namespace {

constexpr std::string_view kOff = "off";

std::vector<domain::SetNumber> read_numbers(Reader& parent, std::string_view field,
                                            std::span<const NumberRow> rows) {
  std::vector<domain::SetNumber> numbers;
  auto reader = parent.mapping(field);
  if (!reader) return numbers;
  for (const NumberRow& row : rows) {
    const auto value = reader->number(row.name, {.least = row.least, .most = row.most});
    if (!value) continue;
    if (row.is_whole && std::floor(*value) != *value) {
      reader->complain(row.name, std::string(row.name) + " is counted: expected a whole number");
      continue;
    }
    numbers.push_back({std::string(row.name), *value, reader->place_of(row.name)});
  }
  reader->finish();
  return numbers;
}

/// YAML reads a bare `off` as false.
std::optional<std::string> word_of(const Node& node) {
  if (node.is(Node::Kind::Boolean) && !node.boolean()) return std::string(kOff);
  if (node.is(Node::Kind::String)) return node.text();
  return std::nullopt;
}

void read_severities(Reader& parent, std::span<const std::string_view> rules,
                     std::vector<domain::SetSeverity>& all) {
  auto reader = parent.mapping("severities");
  if (!reader) return;
  std::vector<std::string> words = all_names<Severity>();
  words.emplace_back(kOff);
  for (const std::string_view rule : rules) {
    const Node* const node = reader->node(rule);
    if (node == nullptr) continue;
    const std::optional<std::string> word = word_of(*node);
    const std::optional<Severity> severity =
        word ? value_of<Severity>(*word) : std::optional<Severity>();
    if (!word || (!severity && *word != kOff)) {
      reader->complain(rule,
                       word ? "'" + *word + "' is no severity"
                            : "the severity of " + std::string(rule) + " is a word",
                       word ? suggestion(*word, words, "expected error, warning, note or off")
                            : "expected error, warning, note or off");
      continue;
    }
    all.push_back({std::string(rule), severity, reader->place_of(rule)});
  }
  reader->finish();
}

}  // namespace

Result<domain::RuleSettings> read_rules(const document::Document& document,
                                        const RuleNames& names) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "rules");
  domain::RuleSettings settings;
  if (!read_header(reader, "Rules")) return failure(std::move(diagnostics));
  settings.thresholds = read_numbers(reader, "thresholds", names.thresholds);
  settings.contract = read_numbers(reader, "contract", names.contract);
  read_severities(reader, names.rules, settings.severities);
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return settings;
}

}  // namespace gpushape::schema
