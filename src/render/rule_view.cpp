#include "render/rule_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/page.hpp"

namespace gpushape::render {

using domain::RuleBook;
using domain::RuleEntry;
using domain::RuleNumber;

namespace {

constexpr std::size_t kRuleLabel = 11;

std::string severity_text(const RuleEntry& rule) {
  if (rule.is_off) return "off";
  return rule.severity ? std::string(name_of(*rule.severity)) : std::string();
}

std::string number_value(const RuleNumber& number) {
  return number.unit.empty() ? fmt::format("{}", number.value)
                             : fmt::format("{} {}", number.value, number.unit);
}

/// Where the value is from.
std::string origin_text(const RuleNumber& number) {
  if (!number.from.empty()) return "from " + number.from;
  return number.source.empty() ? "default, chosen by this project" : "default: " + number.source;
}

std::string group_title(const RuleBook& book, std::string_view group) {
  const auto found = std::ranges::find(book.groups, group, &domain::RuleGroup::name);
  return found == book.groups.end() ? std::string(group) : found->title;
}

/// A cell of a Markdown table holds no bar and no line end.
std::string rule_cell(std::string_view text) {
  std::string clean;
  for (const char letter : text) {
    if (letter == '|') clean += '\\';
    clean += letter == '\n' ? ' ' : letter;
  }
  return clean;
}

void add_numbers(std::string_view title, const std::vector<RuleNumber>& numbers,
                 std::string& page) {
  if (numbers.empty()) return;
  page += fmt::format(
      "\n## {}\n\n| name | value | what it is | from |\n| --- | ---: | --- | --- |\n", title);
  for (const RuleNumber& number : numbers) {
    page += fmt::format("| `{}` | {} | {} | {} |\n", number.name, rule_cell(number_value(number)),
                        rule_cell(number.meaning), rule_cell(origin_text(number)));
  }
}

void add_rule(const RuleEntry& rule, std::string& page) {
  page += fmt::format("\n### {} {}\n\n", rule.id, rule.title);
  const auto line = [&](std::string_view label, std::string_view text) {
    if (!text.empty()) page += fmt::format("* **{}** {}\n", label, text);
  };
  line("severity", severity_text(rule));
  line("when", rule.condition);
  line(rule.severity ? "do" : "then", rule.outcome);
  line("why", rule.reason);
  line("source", rule.source);
  std::vector<std::string> numbers;
  for (const RuleNumber& number : rule.numbers)
    numbers.push_back(fmt::format("`{}` = {}", number.name, number_value(number)));
  line("numbers", fmt::format("{}", fmt::join(numbers, ", ")));
  if (!rule.is_manifest) line("example", "`" + rule.example + "`");
}

}  // namespace

std::string rules_text(const RuleBook& book, const Style& style) {
  Page page(style);
  for (const domain::RuleGroup& group : book.groups) {
    Table table;
    table.columns = {{"rule", Align::Left}, {"", Align::Left}, {"", Align::Left}};
    bool has_severity = false;
    for (const RuleEntry& rule : book.rules) {
      if (rule.group != group.name) continue;
      has_severity = has_severity || rule.severity.has_value();
      table.rows.push_back({rule.id, severity_text(rule), rule.title});
    }
    if (table.rows.empty()) continue;
    page.heading(group.title);
    for (const auto& row : table.rows) {
      page.labelled(row[0], kRuleLabel - 2,
                    has_severity ? fmt::format("{:<8} {}", row[1], row[2]) : row[2]);
    }
  }
  if (!book.thresholds.empty()) {
    page.heading("Thresholds, which --rules FILE may set");
    for (const RuleNumber& number : book.thresholds) {
      page.labelled(number.name, 20,
                    fmt::format("{}: {}{}", number_value(number), number.meaning,
                                number.from.empty() ? "" : " (" + number.from + ")"));
    }
  }
  page.blank();
  page.paragraph(
      fmt::format("{} rules. 'gpushape explain ID' tells one in full.", book.rules.size()));
  return page.text();
}

std::string rule_text(const RuleEntry& rule, const RuleBook& book, const Style& style) {
  Page page(style);
  page.paragraph(fmt::format("{} {}", rule.id, rule.title), 0, Tone::Strong);
  const auto line = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) page.labelled(label, kRuleLabel, text);
  };
  page.blank();
  line("group", group_title(book, rule.group));
  line("severity", severity_text(rule));
  line("when", rule.condition);
  line(rule.severity ? "do" : "then", rule.outcome);
  line("why", rule.reason);
  line("source", rule.source);
  if (!rule.numbers.empty()) {
    page.heading("Numbers that take part");
    for (const RuleNumber& number : rule.numbers) {
      page.labelled(
          number.name, 20,
          fmt::format("{}: {} ({})", number_value(number), number.meaning, origin_text(number)));
    }
  }
  if (rule.example.empty()) return page.text();
  page.heading(rule.is_manifest ? "A manifest that it finds fault with" : "An example");
  std::string text = rule.example;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string first = text.substr(0, end);
    text.erase(0, std::min(end + 1, text.size()));
    if (rule.is_manifest) {
      page.raw("  " + page.clean(first));
    } else {
      page.paragraph(first, 2);
    }
  }
  return page.text();
}

std::string number_text(const RuleNumber& number, const RuleBook& book, const Style& style) {
  Page page(style);
  page.paragraph(fmt::format("{} {}", number.name, number_value(number)), 0, Tone::Strong);
  page.blank();
  page.labelled("is", kRuleLabel, number.meaning);
  page.labelled("from", kRuleLabel, origin_text(number));
  const bool is_threshold =
      std::ranges::find(book.thresholds, number.name, &RuleNumber::name) != book.thresholds.end();
  page.labelled("set it by", kRuleLabel,
                fmt::format("{}: {{{}: VALUE}} of a file for --rules",
                            is_threshold ? "thresholds" : "contract", number.name));
  if (!book.rules.empty()) page.heading("Rules that look at it");
  for (const RuleEntry& rule : book.rules) page.labelled(rule.id, kRuleLabel, rule.title);
  return page.text();
}

std::string rules_markdown(const RuleBook& book) {
  std::string page =
      "# The rule book\n\n"
      "Made by `gpushape rules -o markdown`; `gpushape explain ID` tells one rule with its "
      "example. "
      "Numbers and severities are\nconfiguration: a file of kind `Rules` for `--rules` "
      "(`gpushape schema Rules`).\n\n"
      "Sources: P1 to P11 are F. Denneman, *Architecting AI Infrastructure*, parts 1 to 11 "
      "(https://frankdenneman.ai/ai-infrastructure/),\nM1 to M3 his *Understanding AI Memory* "
      "(https://frankdenneman.ai/understanding-ai-memory/); numbers behind a heading count\n"
      "paragraphs.\n";
  for (const domain::RuleGroup& group : book.groups) {
    const bool has_rules = std::ranges::any_of(
        book.rules, [&](const RuleEntry& rule) { return rule.group == group.name; });
    if (!has_rules) continue;
    page += fmt::format("\n## {}: {}\n", group.name, group.title);
    for (const RuleEntry& rule : book.rules)
      if (rule.group == group.name) add_rule(rule, page);
  }
  add_numbers("Thresholds", book.thresholds, page);
  add_numbers("Constants of the VM contract", book.constants, page);
  return page;
}

}  // namespace gpushape::render
