#include "cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>

#include "base/edit_distance.hpp"
#include "cli/commands.hpp"
#include "cli/target_help.hpp"

namespace gpushape::cli {
namespace {

constexpr std::string_view kVersion = GPUSHAPE_VERSION;

std::string program_help() {
  std::string text =
      "gpushape says what GPU shape an AI workload needs, before it is deployed.\n"
      "\n"
      "Examples:\n"
      "  gpushape advise llama-3.1-8b-instruct --context 8192 --concurrency 32\n"
      "  gpushape advise ./config.json --context 32k --concurrency 64 --gpu h100,l40s\n"
      "  gpushape estimate qwen2.5-7b --context 8k --concurrency 16 --gpu l4 -o json\n"
      "\n"
      "Usage: gpushape COMMAND [arguments]\n"
      "\n"
      "Commands:\n";
  for (const CommandRow& row : commands()) {
    text += fmt::format("  {:<10} {}\n", row.name, row.description);
  }
  return text +
         "\n"
         "  --help     this text; gpushape COMMAND --help shows the flags of one\n"
         "  --version  the version\n"
         "\n"
         "Exit status: 0 done, 1 the answer is no, 2 bad input, 3 a fault of gpushape.\n";
}

std::string command_help(const CommandRow& row) {
  return fmt::format("gpushape {}: {}\n\nExamples:\n{}\nUsage: gpushape {} {}\n{}", row.name,
                     row.description, row.examples, row.name, row.synopsis, flag_help(row.taker));
}

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& row : commands()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Diagnostics unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const CommandRow& row : commands()) names.emplace_back(row.name);
  return {
      complaint(fmt::format("unknown {} '{}'", word.starts_with('-') ? "flag" : "command", word),
                suggestion(word, names, "see 'gpushape --help'"))};
}

int dispatch(const std::vector<std::string>& arguments, const Terminal& terminal) {
  if (arguments.empty()) {
    terminal.err << program_help();
    return kBadInput;
  }
  const std::string& first = arguments.front();
  if (first == "--version") {
    terminal.out << "gpushape " << kVersion << "\n";
    return kDone;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    const CommandRow* row = arguments.size() > 1 ? find_command(arguments[1]) : nullptr;
    terminal.out << (row != nullptr ? command_help(*row) : program_help());
    return kDone;
  }
  const CommandRow* row = find_command(first);
  if (row == nullptr) return refuse(unknown_command(first), terminal);

  const Result<ParsedFlags> parsed =
      parse_syntax(row->name, row->taker, {arguments.begin() + 1, arguments.end()});
  if (!parsed) return refuse(parsed.error(), terminal);
  if (parsed->wants_help) {
    const std::optional<std::string> of_target = target_help(*parsed);
    terminal.out << (of_target ? *of_target : command_help(*row));
    return kDone;
  }
  Invocation invocation;
  invocation.arguments = arguments;
  return row->run(*parsed, invocation, terminal);
}

}  // namespace

std::string_view program_version() { return kVersion; }

int refuse(const Diagnostics& diagnostics, const Terminal& terminal) {
  terminal.err << to_text(diagnostics);
  return kBadInput;
}

int run(const std::vector<std::string>& arguments, const Terminal& terminal) {
  try {
    const int status = dispatch(arguments, terminal);
    terminal.out.flush();
    if (terminal.out) return status;
    return refuse({complaint("standard output: the answer could not be written whole")}, terminal);
  } catch (const std::exception& fault) {
    terminal.err << "gpushape " << kVersion << ": internal fault: " << fault.what() << "\n"
                 << "Please report it with the command line and the files that it names.\n";
  } catch (...) {
    terminal.err << "gpushape " << kVersion << ": internal fault of an unknown kind\n";
  }
  return kOurFault;
}

}  // namespace gpushape::cli
