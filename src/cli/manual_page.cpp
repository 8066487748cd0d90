// The manual page of the whole program, from the tables of commands, flags and rules.
#include <fmt/format.h>

#include <array>

#include "advise/rules.hpp"
#include "cli/completions.hpp"
#include "review/rules.hpp"

namespace gpushape::cli {
namespace {

/// The code point that begins at `at`, which moves behind it; the text is UTF-8 of our own.
unsigned code_point(std::string_view text, std::size_t& at) {
  const unsigned first = static_cast<unsigned char>(text[at++]);
  unsigned rest = 0;
  while (rest < 3 && ((first << (rest + 1)) & 0x80U) != 0 && first >= 0x80U) ++rest;
  unsigned code = rest == 0 ? first : first & (0x3fU >> rest);
  for (; rest > 0 && at < text.size(); --rest)
    code = (code << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3fU);
  return code;
}

/// groff takes a backslash, a hyphen and a dot or quote at the start of a line for its own, and
/// other letters than ASCII by their number.
std::string roff(std::string_view text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_line_start = escaped.empty() || escaped.back() == '\n';
    const unsigned code = code_point(text, at);
    if (code >= 0x80U) {
      escaped += fmt::format("\\[u{:04X}]", code);
      continue;
    }
    const char letter = static_cast<char>(code);
    if (is_line_start && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string flag_entry(const FlagRow& row) {
  std::string head = fmt::format("\\fB{}\\fR", roff(row.name));
  if (!row.brief.empty()) head += fmt::format(", \\fB{}\\fR", roff(row.brief));
  if (!row.value.empty()) head += fmt::format(" \\fI{}\\fR", roff(row.value));
  std::string takers;
  for (const CommandRow& command : commands()) {
    if ((row.takers & command.taker) != 0)
      takers += (takers.empty() ? "" : ", ") + std::string(command.name);
  }
  std::string text = fmt::format(".TP\n{}\n{}", head, roff(row.description));
  if (row.choices != nullptr) {
    std::string words;
    for (const std::string& word : row.choices()) words += (words.empty() ? "" : ", ") + word;
    if (!words.empty()) text += fmt::format(".\nOne of {}", roff(words));
  }
  return text + fmt::format(".\nOf {}.\n", roff(takers));
}

std::string command_section(const CommandRow& row) {
  return fmt::format(".SS gpushape {} {}\n{}.\n.PP\n.nf\n{}.fi\n", roff(row.name),
                     roff(row.synopsis), roff(row.description), roff(row.examples));
}

constexpr std::string_view kIntroduction =
    "\\fBgpushape\\fR tells what GPU shape an AI workload needs before it is deployed.\n"
    "From a catalog of models and tables of GPU profiles it estimates static and dynamic GPU "
    "memory,\nrecommends a fractional, full, passthrough or multi\\-GPU shape, derives the CPU, "
    "memory and NUMA\ncontract of the virtual machine, writes the manifests that deploy it, "
    "reviews manifests that others\nwrote, and says where a contract lands in a cluster.\n"
    "It works offline: models and GPUs are built in.\n";

constexpr std::string_view kStatus =
    ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nThe answer is no: nothing fits, findings at or above "
    "\\fB\\-\\-fail\\-on\\fR, a placement failed.\n.TP\n2\nUsage or bad input, with file, line and "
    "column where there is a file.\n.TP\n3\nA fault of gpushape.\n"
    ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNo colour, whatever the terminal can do.\n";

}  // namespace

std::string manual_page(std::string_view version) {
  std::string text = fmt::format(
      ".TH GPUSHAPE 1 \"\" \"gpushape {}\" \"User Commands\"\n"
      ".SH NAME\ngpushape \\- says what GPU shape an AI workload needs, before it is deployed\n"
      ".SH SYNOPSIS\n.B gpushape\n.I COMMAND\n.RI [ arguments ]\n.SH DESCRIPTION\n{}",
      version, kIntroduction);
  text += ".SH COMMANDS\n";
  for (const CommandRow& row : commands()) text += command_section(row);
  text += ".SH OPTIONS\n";
  for (const FlagGroupRow& group : flag_groups()) {
    text += fmt::format(".SS {}\n", roff(group.title));
    for (const FlagRow& row : flags()) {
      if (row.group == group.group) text += flag_entry(row);
    }
  }
  text +=
      ".SH RULES\nEach shape and each finding names the rules behind it; "
      "\\fBgpushape explain\\fR \\fIID\\fR shows one in full.\n";
  for (const advise::RuleRow& row : advise::rules())
    text += fmt::format(".TP\n{}\n{}\n", roff(row.id), roff(row.title));
  for (const review::RuleRow& row : review::rules())
    text += fmt::format(".TP\n{}\n{}\n", roff(row.id), roff(row.title));
  return text + std::string(kStatus);
}

}  // namespace gpushape::cli
