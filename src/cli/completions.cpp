#include "cli/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "emit/targets.hpp"
#include "render/formats.hpp"

namespace gpushape::cli {
namespace {

struct ValueRow {
  std::string_view word;  ///< FlagRow::value
  Completion completion;
};
constexpr auto kValueRows = std::to_array<ValueRow>({
    {"FILE", Completion::File},
    {"INVENTORY", Completion::File},
    {"FOLDER", Completion::Folder},
    {"MODEL", Completion::Model},
    {"FORMAT", Completion::Output},
});

// Behind the name, and a heading.
constexpr std::string_view kModelNames =
    "gpushape catalog list 2>/dev/null | awk 'NR > 1 {print $1}'";
constexpr std::string_view kGpuNames =
    "gpushape profiles list 2>/dev/null | awk 'NR > 1 {print $1}'";

std::vector<std::string> output_words(const CommandRow& command) {
  if (command.taker == kSweep) return {"csv", "jsonl"};
  std::vector<std::string> words = {"text", "json", "yaml"};
  if (command.taker == kAdvise) {
    words.emplace_back("list");
    for (const emit::TargetRow& row : emit::targets()) words.emplace_back(row.name);
  }
  return words;
}

std::vector<const FlagRow*> flags_of(const CommandRow& command) {
  std::vector<const FlagRow*> rows;
  for (const FlagRow& row : flags()) {
    if ((row.takers & command.taker) != 0) rows.push_back(&row);
  }
  return rows;
}

std::vector<std::string> words_of(const FlagRow& row, const CommandRow& command) {
  if (row.choices != nullptr) return row.choices();
  if (completion_of(row) == Completion::Output) return output_words(command);
  return {};
}

std::string names_of(const FlagRow& row, std::string_view separator) {
  if (row.brief.empty()) return std::string(row.name);
  return fmt::format("{}{}{}", row.name, separator, row.brief);
}

std::string bash_values(const FlagRow& row, const CommandRow& command) {
  switch (completion_of(row)) {
    case Completion::File:
      return "COMPREPLY=($(compgen -f -- \"$word\"))";
    case Completion::Folder:
      return "COMPREPLY=($(compgen -d -- \"$word\"))";
    case Completion::Model:
      return fmt::format("COMPREPLY=($(compgen -f -W \"$({})\" -- \"$word\"))", kModelNames);
    case Completion::Gpu:
      return fmt::format("COMPREPLY=($(compgen -W \"any $({})\" -- \"$word\"))", kGpuNames);
    case Completion::Choices:
    case Completion::Output:
      return fmt::format(R"(COMPREPLY=($(compgen -W "{}" -- "$word")))",
                         fmt::join(words_of(row, command), " "));
    case Completion::Nothing:
      break;
  }
  return "COMPREPLY=()";
}

bool takes_model(const CommandRow& command) { return command.synopsis.contains("MODEL"); }

std::string bash_command(const CommandRow& command) {
  std::string values;
  std::vector<std::string> names = {"--help"};
  for (const FlagRow* row : flags_of(command)) {
    names.emplace_back(row->name);
    if (!row->brief.empty()) names.emplace_back(row->brief);
    if (row->value.empty()) continue;
    values +=
        fmt::format("        {}) {}; return ;;\n", names_of(*row, "|"), bash_values(*row, command));
  }
  std::vector<std::string> words = command_words(command);
  std::string plain =
      fmt::format(R"(COMPREPLY=($(compgen -f -W "{}" -- "$word")))", fmt::join(words, " "));
  if (words.empty() && takes_model(command))
    plain = fmt::format("COMPREPLY=($(compgen -f -W \"$({})\" -- \"$word\"))", kModelNames);
  return fmt::format(
      "    {})\n      case \"$before\" in\n{}      esac\n"
      "      if [[ $word == -* ]]; then\n"
      "        COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n      else\n        {}\n      fi "
      ";;\n",
      command.name, values, fmt::join(names, " "), plain);
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const CommandRow& row : commands()) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// Inside single quotes of zsh's _arguments, where brackets and colons have a meaning.
std::string zsh_text(std::string_view text) {
  std::string quoted;
  for (const char letter : text) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') quoted += '\\';
      quoted += letter;
    }
  }
  return quoted;
}

std::string zsh_action(const FlagRow& row, const CommandRow& command) {
  switch (completion_of(row)) {
    case Completion::File:
      return "_files";
    case Completion::Folder:
      return "_files -/";
    case Completion::Model:
      return "_gpushape_models";
    case Completion::Gpu:
      return "_gpushape_gpus";
    case Completion::Choices:
    case Completion::Output:
      return fmt::format("({})", fmt::join(words_of(row, command), " "));
    case Completion::Nothing:
      break;
  }
  return " ";
}

std::string zsh_command(const CommandRow& command) {
  std::string text = fmt::format("      {})\n        _arguments \\\n", command.name);
  for (const FlagRow* row : flags_of(command)) {
    const std::string action =
        row->value.empty() ? ""
                           : fmt::format(":{}:{}", zsh_text(row->value), zsh_action(*row, command));
    for (const std::string_view name : {row->name, row->brief}) {
      if (name.empty()) continue;
      text += fmt::format("          '*{}[{}]{}' \\\n", name, zsh_text(row->description), action);
    }
  }
  const std::vector<std::string> words = command_words(command);
  if (!words.empty()) {
    text += fmt::format("          '1:word:({})' \\\n", fmt::join(words, " "));
  } else if (takes_model(command)) {
    text += "          '1:model:_gpushape_models' \\\n";
  }
  return text + "          '*:file:_files' ;;\n";
}

std::string fish_text(std::string_view text) {
  std::string quoted;
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted;
}

std::string fish_flag(const FlagRow& row, const CommandRow& command) {
  std::string line = fmt::format("complete -c gpushape -n '__fish_seen_subcommand_from {}' -l {}",
                                 command.name, row.name.substr(2));
  if (!row.brief.empty()) line += fmt::format(" -s {}", row.brief.substr(1));
  switch (completion_of(row)) {
    case Completion::File:
      line += " -r -F";
      break;
    case Completion::Folder:
      line += " -x -a '(__fish_complete_directories)'";
      break;
    case Completion::Model:
      line += fmt::format(" -r -a '({})'", fish_text(kModelNames));
      break;
    case Completion::Gpu:
      line += fmt::format(" -x -a 'any ({})'", fish_text(kGpuNames));
      break;
    case Completion::Choices:
    case Completion::Output:
      line += fmt::format(" -x -a '{}'", fmt::join(words_of(row, command), " "));
      break;
    case Completion::Nothing:
      if (!row.value.empty()) line += " -x";
      break;
  }
  return line + fmt::format(" -d '{}'\n", fish_text(row.description));
}

}  // namespace

std::vector<std::string> command_words(const CommandRow& row) {
  std::vector<std::string> words;
  if (!row.synopsis.contains('|')) return words;
  std::size_t start = 0;
  while (start < row.synopsis.size()) {
    const std::size_t bar = std::min(row.synopsis.find('|', start), row.synopsis.size());
    const std::string_view part = row.synopsis.substr(start, bar - start);
    const auto end =
        std::ranges::find_if(part, [](char letter) { return letter < 'a' || letter > 'z'; });
    if (end != part.begin()) words.emplace_back(part.begin(), end);
    start = bar + 1;
  }
  return words;
}

Completion completion_of(const FlagRow& row) {
  if (row.name == "--gpu") return Completion::Gpu;
  if (row.choices != nullptr) return Completion::Choices;
  const auto found = std::ranges::find(kValueRows, row.value, &ValueRow::word);
  return found == kValueRows.end() ? Completion::Nothing : found->completion;
}

std::string bash_completion() {
  std::string cases;
  for (const CommandRow& command : commands()) cases += bash_command(command);
  return fmt::format(
      "# bash completion of gpushape: source <(gpushape generate bash)\n"
      "_gpushape() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n}}\n"
      "complete -o filenames -F _gpushape gpushape\n",
      command_names(), cases);
}

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const CommandRow& command : commands()) {
    names += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.description));
    cases += zsh_command(command);
  }
  return fmt::format(
      "#compdef gpushape\n"
      "# zsh completion of gpushape: gpushape generate zsh > \"${{fpath[1]}}/_gpushape\"\n"
      "_gpushape_models() {{\n  local -a names\n  names=(${{(f)\"$({})\"}})\n"
      "  _alternative 'models:model:compadd -a names' 'files:file:_files'\n}}\n"
      "_gpushape_gpus() {{\n  local -a names\n  names=(any ${{(f)\"$({})\"}})\n"
      "  compadd -a names\n}}\n"
      "_gpushape() {{\n  local -a gpushape_commands\n  gpushape_commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n    _describe command gpushape_commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n"
      "  case $command in\n{}  esac\n}}\n"
      "_gpushape \"$@\"\n",
      kModelNames, kGpuNames, names, cases);
}

std::string fish_completion() {
  std::string text =
      "# fish completion of gpushape: gpushape generate fish | source\n"
      "complete -c gpushape -n __fish_use_subcommand -f\n";
  for (const CommandRow& command : commands()) {
    text += fmt::format("complete -c gpushape -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, fish_text(command.description));
    const std::vector<std::string> words = command_words(command);
    if (!words.empty()) {
      text += fmt::format(
          "complete -c gpushape -n '__fish_seen_subcommand_from {0}; and not "
          "__fish_seen_subcommand_from {1}' -a '{1}'\n",
          command.name, fmt::join(words, " "));
    } else if (takes_model(command)) {
      text += fmt::format("complete -c gpushape -n '__fish_seen_subcommand_from {}' -a '({})'\n",
                          command.name, fish_text(kModelNames));
    }
    for (const FlagRow* row : flags_of(command)) text += fish_flag(*row, command);
  }
  return text;
}

}  // namespace gpushape::cli
