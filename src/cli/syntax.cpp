// From arguments to the rows of the flag table. The library splits the words; what they mean is the
// table's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/edit_distance.hpp"
#include "cli/flags.hpp"

namespace gpushape::cli {
namespace {

constexpr auto kGroups = std::to_array<FlagGroupRow>({
    {FlagGroup::Workload, "Workload"},
    {FlagGroup::Training, "Training, with --role fine-tune"},
    {FlagGroup::Demand, "Demand without a model"},
    {FlagGroup::Facts, "Facts that decide the shape"},
    {FlagGroup::Engine, "Engine"},
    {FlagGroup::Hardware, "Hardware"},
    {FlagGroup::Contract, "VM contract"},
    {FlagGroup::Output, "Output"},
    {FlagGroup::Configuration, "Configuration"},
});

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpIndent = 28;

std::vector<std::string> names_for(unsigned taker) {
  std::vector<std::string> names = {"--help"};
  for (const FlagRow& row : flags()) {
    if ((row.takers & taker) != 0) names.emplace_back(row.name);
  }
  return names;
}

Diagnostic unknown_flag(std::string_view command, unsigned taker, const std::string& word) {
  const std::string flag = word.substr(0, word.find('='));
  for (const FlagRow& row : flags()) {
    if (row.name == flag || (!row.brief.empty() && row.brief == flag)) {
      return complaint(fmt::format("{} is not a flag of '{}'", flag, command),
                       fmt::format("see 'gpushape {} --help'", command));
    }
  }
  return complaint(
      fmt::format("unknown flag {}", flag),
      suggestion(flag, names_for(taker), fmt::format("see 'gpushape {} --help'", command)));
}

}  // namespace

std::span<const FlagGroupRow> flag_groups() { return kGroups; }

Result<ParsedFlags> parse_syntax(std::string_view command, unsigned taker,
                                 const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  app.prefix_command(false);
  ParsedFlags parsed;
  bool wants_help = false;
  app.add_flag("-h,--help", wants_help);
  std::vector<std::pair<const FlagRow*, CLI::Option*>> options;
  for (const FlagRow& row : flags()) {
    if ((row.takers & taker) == 0) continue;
    const std::string names =
        row.brief.empty() ? std::string(row.name) : fmt::format("{},{}", row.brief, row.name);
    // One value each; results() keeps the texts, so no type of the library's is involved.
    CLI::Option* option = row.value.empty() ? app.add_flag(names) : app.add_option(names);
    if (!row.value.empty()) {
      option->expected(1)->type_size(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    options.emplace_back(&row, option);
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    // A value that is missing, or a switch that was given one. The library's message begins with
    // the flag's name.
    std::string message = error.what();
    for (const auto& [row, option] : options) {
      if (!message.starts_with(row->name) && !message.starts_with(option->get_name())) continue;
      return failure(row->value.empty()
                         ? fmt::format("{} takes no value", row->name)
                         : fmt::format("{} needs a value: {}", row->name, row->value),
                     std::string(row->description));
    }
    return failure(std::move(message), fmt::format("see 'gpushape {} --help'", command));
  }
  Diagnostics faults;
  bool only_words = false;
  for (const std::string& word : app.remaining()) {
    if (!only_words && word == "--") {
      only_words = true;
    } else if (!only_words && word.size() > 1 && word.starts_with('-')) {
      faults.push_back(unknown_flag(command, taker, word));
    } else {
      parsed.positionals.push_back(word);
    }
  }
  if (!faults.empty()) return failure(std::move(faults));
  parsed.wants_help = wants_help;
  for (const auto& [row, option] : options) {
    if (option->count() == 0) continue;
    if (row->value.empty()) {
      for (const std::string& value : option->results()) {
        if (value != "true")
          faults.push_back(complaint(fmt::format("{} takes no value", row->name)));
      }
      parsed.given.emplace_back(row, "");
      continue;
    }
    for (const std::string& value : option->results()) parsed.given.emplace_back(row, value);
  }
  if (!faults.empty()) return failure(std::move(faults));
  return parsed;
}

Diagnostics apply(const ParsedFlags& parsed, Invocation& invocation) {
  Diagnostics faults;
  for (const auto& [row, value] : parsed.given) {
    Diagnostics more = row->apply(invocation, {row->name, value});
    for (Diagnostic& fault : more) {
      // A vocabulary's own parser does not know which flag it served.
      if (!fault.message.contains("--"))
        fault.message = fmt::format("{}: {}", row->name, fault.message);
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

std::string flag_help(unsigned taker) {
  std::string text;
  for (const FlagGroupRow& group : kGroups) {
    std::string lines;
    for (const FlagRow& row : flags()) {
      if (row.group != group.group || (row.takers & taker) == 0) continue;
      std::string head = row.brief.empty() ? fmt::format("      {}", row.name)
                                           : fmt::format("  {}, {}", row.brief, row.name);
      if (!row.value.empty()) head += fmt::format(" {}", row.value);
      std::string description(row.description);
      if (row.choices != nullptr) {
        description += fmt::format(" ({})", fmt::join(row.choices(), ", "));
      }
      if (head.size() + 2 > kHelpIndent) {
        lines += head + "\n";
        head.clear();
      }
      std::string line = fmt::format("{:<{}}", head, kHelpIndent);
      std::size_t start = 0;
      while (start < description.size()) {
        const std::size_t end = std::min(description.find(' ', start), description.size());
        const std::string word = description.substr(start, end - start);
        if (line.size() + word.size() + 1 > kHelpWidth) {
          lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
          line = std::string(kHelpIndent, ' ');
        }
        if (line.size() > kHelpIndent) line += ' ';
        line += word;
        start = end + 1;
      }
      lines += line + "\n";
    }
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", group.title, lines);
  }
  return text;
}

}  // namespace gpushape::cli
