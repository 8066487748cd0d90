#include "cli/rule_book.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "advise/rule_settings.hpp"
#include "advise/rules.hpp"
#include "base/embedded_text.hpp"
#include "cli/document_files.hpp"
#include "review/cases.hpp"
#include "review/rules.hpp"
#include "schema/rules_document.hpp"

namespace gpushape::cli {

using domain::RuleEntry;
using domain::RuleNumber;

namespace {

struct GroupRow {
  std::string_view name;
  std::string_view title;
};
/// In display order; a group that stands nowhere here comes last, under its own name.
constexpr auto kRuleGroups = std::to_array<GroupRow>({
    {"CM", "Choice of the consumption model"},
    {"EV", "What evidence changes"},
    {"MD", "Mode of a fraction"},
    {"MG", "Several GPUs"},
    {"LC", "Lifecycle"},
    {"VC", "Review: the contract of VMs and pods"},
    {"RV", "Review: how a platform uses its GPUs"},
    {"MF", "Review: manifests"},
    {"ME", "Review: memory"},
    {"KB", "Review: Kubernetes"},
    {"LD", "Review: the life of a deployment"},
    {"PL", "Review: placement"},
    {"IG", "Review: ignores"},
});

struct NumbersRow {
  std::string_view rule;
  std::string_view names;
};
/// Numbers that take part in rules of a review.
constexpr auto kReviewNumbers = std::to_array<NumbersRow>({
    {"RV-01", "idleCompute"},
    {"RV-03", "reviewDays"},
    {"RV-07", "catalogSizes"},
    {"RV-18", "noKernelMinutes lowCompute lowComputeHours"},
    {"RV-19", "experimentDays"},
    {"RV-23", "spikyGuard"},
    {"VC-03", "mmioFloor mmioFactor"},
    {"VC-08", "usableMemory"},
    {"VC-09", "hypervisorCores"},
    {"VC-16", "hypervisorCores usableMemory"},
    {"VC-17", "systemVcpus wholeDeviceFloor fractionFloor"},
    {"VC-18", "systemMemory serverMemory workerMemory unknownShard"},
    {"VC-20", "pauseBase linkEfficiency migrationCeiling"},
});

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : std::string(text) + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

RuleNumber number_of(const advise::Threshold& threshold) {
  return {.name = std::string(threshold.name),
          .value = threshold.value,
          .unit = std::string(threshold.unit),
          .meaning = std::string(threshold.meaning),
          .from = threshold.from,
          .source = {}};
}

RuleNumber number_of(const advise::ContractConstant& constant) {
  const bool is_sourced = constant.kind == advise::ConstantKind::Sourced;
  return {.name = std::string(constant.key),
          .value = constant.value,
          .unit = std::string(constant.unit),
          .meaning = std::string(constant.name),
          .from = constant.from,
          .source = is_sourced ? std::string(constant.source) : std::string()};
}

std::vector<RuleNumber> numbers_of(std::string_view names, const LoadedRules& rules) {
  std::vector<RuleNumber> numbers;
  for (const std::string& name : words_in(names)) {
    for (const advise::Threshold* threshold : rules.thresholds.all())
      if (threshold->name == name) numbers.push_back(number_of(*threshold));
    for (const advise::ContractConstant* constant : rules.constants.all())
      if (constant->key == name) numbers.push_back(number_of(*constant));
  }
  return numbers;
}

std::string group_of(std::string_view id) { return std::string(id.substr(0, id.find('-'))); }

RuleEntry entry_of(const advise::RuleRow& row, const LoadedRules& rules) {
  return {.id = std::string(row.id),
          .group = group_of(row.id),
          .severity = {},
          .is_off = false,
          .title = std::string(row.title),
          .condition = std::string(row.condition),
          .outcome = std::string(row.outcome),
          .reason = std::string(row.reason),
          .source = std::string(row.source),
          .numbers = numbers_of(row.thresholds, rules),
          .example = "gpushape " + std::string(row.example),
          .is_manifest = false};
}

RuleEntry entry_of(const review::RuleRow& row, const LoadedRules& rules) {
  RuleEntry entry{.id = std::string(row.id),
                  .group = group_of(row.id),
                  .severity = row.severity,
                  .is_off = false,
                  .title = std::string(row.title),
                  .condition = {},
                  .outcome = std::string(row.fix),
                  .reason = std::string(row.why),
                  .source = std::string(row.source),
                  .numbers = {},
                  .example = {},
                  .is_manifest = true};
  const auto* const numbers = std::ranges::find(kReviewNumbers, row.id, &NumbersRow::rule);
  if (numbers != kReviewNumbers.end()) entry.numbers = numbers_of(numbers->names, rules);
  for (const domain::SetSeverity& set : rules.severities) {
    if (set.rule != row.id) continue;
    entry.is_off = !set.severity;
    if (set.severity) entry.severity = set.severity;
  }
  const auto cases = review::firing_cases();
  const auto found = std::ranges::find(cases, row.id, &EmbeddedText::name);
  if (found != cases.end()) entry.example = found->text;
  return entry;
}

}  // namespace

Result<LoadedRules> load_rules(const std::vector<std::string>& files) {
  LoadedRules rules;
  const std::vector<domain::NumberRow> thresholds = advise::threshold_rows();
  const std::vector<domain::NumberRow> constants = advise::constant_rows();
  std::vector<std::string_view> ids;
  for (const review::RuleRow& row : review::rules()) ids.push_back(row.id);
  Diagnostics faults;
  for (const std::string& file : files) {
    const Result<std::vector<document::Document>> documents = read_documents(file);
    if (!documents) {
      std::ranges::copy(documents.error(), std::back_inserter(faults));
      continue;
    }
    for (const document::Document& document : *documents) {
      const Result<domain::RuleSettings> read = schema::read_rules(
          document, {.thresholds = thresholds, .contract = constants, .rules = ids});
      if (!read) {
        std::ranges::copy(read.error(), std::back_inserter(faults));
        continue;
      }
      advise::apply(*read, rules.thresholds, rules.constants);
      std::ranges::copy(read->severities, std::back_inserter(rules.severities));
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  return rules;
}

domain::RuleBook rule_book(const LoadedRules& rules) {
  domain::RuleBook book;
  for (const advise::RuleRow& row : advise::rules()) book.rules.push_back(entry_of(row, rules));
  for (const review::RuleRow& row : review::rules()) book.rules.push_back(entry_of(row, rules));
  for (const GroupRow& row : kRuleGroups)
    book.groups.push_back({std::string(row.name), std::string(row.title)});
  for (const RuleEntry& entry : book.rules) {
    if (std::ranges::find(book.groups, entry.group, &domain::RuleGroup::name) == book.groups.end())
      book.groups.push_back({entry.group, "Review: " + entry.group});
  }
  std::ranges::stable_sort(book.rules, {}, [&](const RuleEntry& entry) {
    return std::ranges::find(book.groups, entry.group, &domain::RuleGroup::name) -
           book.groups.begin();
  });
  for (const advise::Threshold* threshold : rules.thresholds.all())
    book.thresholds.push_back(number_of(*threshold));
  for (const advise::ContractConstant* constant : rules.constants.all())
    book.constants.push_back(number_of(*constant));
  return book;
}

}  // namespace gpushape::cli
