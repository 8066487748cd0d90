// gpushape rules and explain: the rule book, and one rule of it in full.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/edit_distance.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/rule_book.hpp"
#include "document/text_format.hpp"
#include "render/rule_view.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

constexpr std::array<std::string_view, 4> kRuleFormats = {"text", "json", "yaml", "markdown"};

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

Result<std::string> rule_format(const Invocation& invocation, bool has_markdown) {
  std::vector<std::string> known(kRuleFormats.begin(), kRuleFormats.end() - (has_markdown ? 0 : 1));
  std::string format = invocation.outputs.empty() ? "text" : invocation.outputs.back();
  if (std::ranges::find(known, format) != known.end()) return format;
  return failure(
      fmt::format("--output: '{}' is no format", format),
      suggestion(format, known, fmt::format("expected one of {}", fmt::join(known, ", "))));
}

/// Keeps the rules of the groups, or with the ids, that were asked for; all without any word.
Diagnostics keep_asked(const std::vector<std::string>& words, domain::RuleBook& book) {
  if (words.empty()) return {};
  Diagnostics faults;
  std::vector<std::string> known;
  known.reserve(book.groups.size() + book.rules.size());
  for (const domain::RuleGroup& group : book.groups) known.push_back(group.name);
  for (const domain::RuleEntry& rule : book.rules) known.push_back(rule.id);
  std::vector<std::string> asked;
  for (const std::string& word : words) {
    asked.push_back(upper_case(word));
    if (std::ranges::find(known, asked.back()) != known.end()) continue;
    std::vector<std::string> groups;
    groups.reserve(book.groups.size());
    for (const domain::RuleGroup& group : book.groups) groups.push_back(group.name);
    faults.push_back(
        complaint(fmt::format("'{}' is no group and no rule", word),
                  suggestion(asked.back(), known,
                             fmt::format("the groups are {}", fmt::join(groups, ", ")))));
  }
  std::erase_if(book.rules, [&](const domain::RuleEntry& rule) {
    return std::ranges::find(asked, rule.group) == asked.end() &&
           std::ranges::find(asked, rule.id) == asked.end();
  });
  std::erase_if(book.groups, [&](const domain::RuleGroup& group) {
    return std::ranges::find(book.rules, group.name, &domain::RuleEntry::group) == book.rules.end();
  });
  return faults;
}

int write_rules(std::string text, const std::string& format, const Invocation& invocation,
                const Terminal& terminal) {
  const std::string extension = format == "text" ? "txt" : format == "markdown" ? "md" : format;
  const Result<std::vector<std::string>> written =
      write_pieces({{"rules", extension, std::move(text)}}, invocation, terminal);
  return written ? kDone : refuse(written.error(), terminal);
}

std::string formatted(const domain::RuleBook& book, const std::string& format) {
  const document::Node node = schema::to_node(book);
  return format == "json" ? document::write_json(node) : document::write_yaml(node);
}

}  // namespace

int run_rules(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty())
    return refuse(faults, terminal);
  const Result<std::string> format = rule_format(invocation, true);
  if (!format) return refuse(format.error(), terminal);
  const Result<LoadedRules> rules = load_rules(invocation.rules_files);
  if (!rules) return refuse(rules.error(), terminal);
  domain::RuleBook book = rule_book(*rules);
  if (const Diagnostics faults = keep_asked(parsed.positionals, book); !faults.empty())
    return refuse(faults, terminal);
  if (!parsed.positionals.empty()) {
    book.thresholds.clear();
    book.constants.clear();
  }
  std::string text;
  if (*format == "text") {
    text = render::rules_text(book, style_for(terminal, invocation.color, invocation.verbosity));
  } else if (*format == "markdown") {
    text = render::rules_markdown(book);
  } else {
    text = formatted(book, *format);
  }
  return write_rules(std::move(text), *format, invocation, terminal);
}

int run_explain(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty())
    return refuse(faults, terminal);
  const Result<std::string> format = rule_format(invocation, false);
  if (!format) return refuse(format.error(), terminal);
  if (parsed.positionals.size() != 1) {
    return refuse({complaint(fmt::format("one ID is expected, found {}", parsed.positionals.size()),
                             "'gpushape rules' lists them: CM-06, VC-03 …")},
                  terminal);
  }
  const Result<LoadedRules> rules = load_rules(invocation.rules_files);
  if (!rules) return refuse(rules.error(), terminal);
  domain::RuleBook book = rule_book(*rules);
  const std::string& word = parsed.positionals.front();
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);

  // A threshold or a constant is explained by the rules that look at it.
  std::vector<domain::RuleNumber> numbers = book.thresholds;
  numbers.insert(numbers.end(), book.constants.begin(), book.constants.end());
  const auto number = std::ranges::find(numbers, word, &domain::RuleNumber::name);
  if (number != numbers.end()) {
    std::erase_if(book.rules, [&](const domain::RuleEntry& rule) {
      return std::ranges::find(rule.numbers, word, &domain::RuleNumber::name) == rule.numbers.end();
    });
    const auto is_other = [&](const domain::RuleNumber& other) { return other.name != word; };
    std::erase_if(book.thresholds, is_other);
    std::erase_if(book.constants, is_other);
    if (*format != "text")
      return write_rules(formatted(book, *format), *format, invocation, terminal);
    return write_rules(render::number_text(*number, book, style), *format, invocation, terminal);
  }

  const std::string id = upper_case(word);
  const auto rule = std::ranges::find(book.rules, id, &domain::RuleEntry::id);
  if (rule == book.rules.end()) {
    std::vector<std::string> known;
    known.reserve(book.rules.size() + numbers.size());
    for (const domain::RuleEntry& each : book.rules) known.push_back(each.id);
    for (const domain::RuleNumber& each : numbers) known.push_back(each.name);
    const bool looks_like_id = word.find('-') != std::string::npos || word.size() < 4;
    return refuse({complaint(fmt::format("there is no rule '{}'", word),
                             suggestion(looks_like_id ? id : word, known,
                                        "'gpushape rules' lists them all"))},
                  terminal);
  }
  // Advice and review may hold a rule of one ID, each from its side.
  domain::RuleBook asked;
  std::string text;
  for (const domain::RuleEntry& found : book.rules) {
    if (found.id != id) continue;
    if (!text.empty()) text += "\n";
    text += render::rule_text(found, book, style);
    for (const domain::RuleGroup& group : book.groups)
      if (group.name == found.group && asked.rules.empty()) asked.groups.push_back(group);
    asked.rules.push_back(found);
  }
  if (*format != "text") text = formatted(asked, *format);
  return write_rules(std::move(text), *format, invocation, terminal);
}

}  // namespace gpushape::cli
