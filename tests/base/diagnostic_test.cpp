#include "base/diagnostic.hpp"

#include <doctest/doctest.h>

using gpushape::complaint;
using gpushape::Diagnostic;
using gpushape::Diagnostics;

TEST_SUITE("base") {
  TEST_CASE("a diagnostic shows its place, the line with a caret, and the help") {
    const Diagnostic diagnostic{.message = "3 GPUs cannot form one NVLink partition",
                                .span = {.file = "llm.yaml", .line = 8, .column = 25, .length = 1},
                                .excerpt = "        nvidia.com/gpu: 3",
                                .label = "tensor parallel size 3",
                                .help = "request 2 or 4 GPUs"};
    CHECK(to_text(diagnostic) ==
          "error: 3 GPUs cannot form one NVLink partition\n"
          "  --> llm.yaml:8:25\n"
          " 8 |         nvidia.com/gpu: 3\n"
          "   |                         ^ tensor parallel size 3\n"
          "   = help: request 2 or 4 GPUs\n");
    CHECK(to_text(complaint("wrong", "mend it")) == "error: wrong\n   = help: mend it\n");
    CHECK(to_text(Diagnostics{complaint("a"), complaint("b")}) == "error: a\nerror: b\n");
  }

  TEST_CASE("a place without a line is the whole source") {
    Diagnostic diagnostic = complaint("f is empty");
    diagnostic.span.file = "f";
    CHECK(to_text(diagnostic) == "error: f is empty\n  --> f\n");
  }

  TEST_CASE("the caret stands below its text behind tabs and letters of several bytes") {
    const auto drawn = [](std::string excerpt, int column, int length) {
      const std::string text =
          to_text(Diagnostic{.message = "m",
                             .span = {.file = "f", .line = 1, .column = column, .length = length},
                             .excerpt = std::move(excerpt),
                             .label = {},
                             .help = {}});
      return text.substr(text.rfind("| ") + 2);
    };
    CHECK(drawn("\ta: 1", 2, 1) == "\t^\n");
    CHECK(drawn("\xc3\xa9\xe2\x82\xac: x", 8, 1) == "    ^\n");  // two letters, ':' and ' '
    CHECK(drawn("a: \xc3\xa9\xe2\x82\xac", 4, 5) == "   ^^\n");
    CHECK(drawn("abc", 4, 1) == "   ^\n");    // behind the end: something is missing there
    CHECK(drawn("abc", 900, 1) == "   ^\n");  // never far beyond it
    CHECK(drawn("abc", 2, 5000) == " ^^\n");  // no further than the line
    CHECK(drawn("abc", 0, 0) == "^\n");
  }

  TEST_CASE("a window into a long line is marked, and the caret still stands below its text") {
    const std::string text = to_text(Diagnostic{.message = "m",
                                                .span = {.file = "f", .line = 1, .column = 103},
                                                .excerpt = "abcdef",
                                                .label = {},
                                                .help = {},
                                                .excerpt_column = 101});
    CHECK(text == "error: m\n  --> f:1:103\n 1 | ...abcdef\n   |      ^\n");
  }

  TEST_CASE("control characters of an input do not reach the terminal") {
    Diagnostic diagnostic = complaint("bad \x1b[31m name", "help\x07");
    diagnostic.span = {.file = "f\x1b", .line = 1, .column = 1, .length = 1};
    diagnostic.excerpt = "\x1b]0;x\x7f";
    CHECK(to_text(diagnostic).find_first_of("\x1b\x07\x7f") == std::string::npos);
  }
}
