#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/program.hpp"

namespace cli = gpushape::cli;
using gpushape::test::run_line;

namespace {

/// What a shell command prints, both streams; its status is not looked at.
std::string printed_by(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::array<char, 4096> part{};
  std::size_t read = 0;
  while ((read = std::fread(part.data(), 1, part.size(), pipe)) > 0) text.append(part.data(), read);
  ::pclose(pipe);
  return text;
}

/// What bash offers behind a line, one word a line, by the generated completion.
std::string offered(const gpushape::test::TemporaryFolder& folder, const std::string& words) {
  const std::string script = folder.file("completion.bash", run_line("generate bash").out);
  return printed_by("bash -c 'source " + script + "; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gpushape; "
                    "printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the manual page names every command and every flag, and groff takes it") {
    const auto page = run_line("generate man");
    CHECK(page.status == 0);
    for (const cli::CommandRow& row : cli::commands())
      CHECK(page.out.contains(".SS gpushape " + std::string(row.name)));
    for (const cli::FlagRow& row : cli::flags()) {
      std::string escaped;
      for (const char letter : row.name) escaped += letter == '-' ? "\\-" : std::string(1, letter);
      CAPTURE(row.name);
      CHECK(page.out.contains("\\fB" + escaped + "\\fR"));
    }
    if (printed_by("command -v groff").empty()) {
      MESSAGE("skipped: groff is not installed");
      return;
    }
    const gpushape::test::TemporaryFolder folder;
    const std::string file = folder.file("gpushape.1", page.out);
    CHECK(printed_by("groff -man -Tutf8 -ww -z " + file) == "");
  }

  TEST_CASE("bash completes commands, their words, flags and values") {
    const gpushape::test::TemporaryFolder folder;
    CHECK(offered(folder, "gpushape adv") == "advise\n");
    CHECK(offered(folder, "gpushape catalog sh") == "show\n");
    CHECK(offered(folder, "gpushape advise --concur") == "--concurrency\n");
    CHECK(offered(folder, "gpushape advise --isolation h") == "hard\n");
    CHECK(offered(folder, "gpushape advise -o vm-cl") == "vm-class\n");
    CHECK(offered(folder, "gpushape schema --color n") == "never\n");
  }

  TEST_CASE("zsh and fish get every flag of every command") {
    const std::string zsh = run_line("generate zsh").out;
    const std::string fish = run_line("generate fish").out;
    for (const cli::FlagRow& row : cli::flags()) {
      CAPTURE(row.name);
      CHECK(zsh.contains("'*" + std::string(row.name) + "["));
      CHECK(fish.contains(" -l " + std::string(row.name.substr(2))));
    }
    const gpushape::test::TemporaryFolder folder;
    if (!printed_by("command -v zsh").empty())
      CHECK(printed_by("zsh -n " + folder.file("_gpushape", zsh)) == "");
    if (!printed_by("command -v fish").empty())
      CHECK(printed_by("fish --no-execute " + folder.file("gpushape.fish", fish)) == "");
  }

  TEST_CASE("what cannot be generated is refused with the nearest word") {
    const auto outcome = run_line("generate bahs");
    CHECK(outcome.status == 2);
    CHECK(outcome.err.contains("bash"));
    CHECK(run_line("generate").status == 2);
  }
}
