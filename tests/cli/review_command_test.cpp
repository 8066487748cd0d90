#include <doctest/doctest.h>

#include "cli/program.hpp"

using gpushape::test::run_line;

TEST_SUITE("cli") {
  TEST_CASE("a rules file makes findings graver, lighter, or leaves them out") {
    const gpushape::test::TemporaryFolder folder;
    const std::string line = "review tests/cases/review/VC-11/fires.yaml --rule VC-11 --rules ";
    const auto rules = [&folder](const std::string& name, const std::string& severity) {
      return folder.file(name, "apiVersion: gpushape.dev/v1\nkind: Rules\nseverities: {VC-11: " +
                                   severity + "}\n");
    };
    const std::string note = rules("note.yaml", "note");
    const std::string off = rules("off.yaml", "off");
    CHECK(run_line("review tests/cases/review/VC-11/fires.yaml --rule VC-11").status == 1);
    const auto lighter = run_line(line + note);
    CHECK(lighter.status == 0);  // --fail-on warning
    CHECK(lighter.out.contains("note[VC-11]"));
    CHECK(run_line(line + note + " --fail-on note").status == 1);
    const auto without = run_line(line + off + " --fail-on note");
    CHECK(without.status == 0);
    CHECK_FALSE(without.out.contains("VC-11]"));
    // The last file has the last word.
    CHECK(run_line(line + off + " --rules " + note).out.contains("note[VC-11]"));
    CHECK(run_line(line + rules("wrong.yaml", "loud")).status == 2);
  }

  TEST_CASE("--as-of tells what is past its review") {
    const std::string line = "review tests/cases/review/LD-03/fires.yaml --rule LD-03";
    CHECK_FALSE(run_line(line).out.contains("[LD-03]"));
    CHECK(run_line(line + " --as-of 2999-01-01").out.contains("[LD-03]"));
  }
}
