#include "render/text_width.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

using gpushape::render::display_width;
using gpushape::render::pad_left;
using gpushape::render::pad_right;
using gpushape::render::printable;
using gpushape::render::wrap;

TEST_SUITE("render") {
  TEST_CASE("width counts columns, not bytes") {
    CHECK(display_width("") == 0);
    CHECK(display_width("abc") == 3);
    CHECK(display_width("█▓▒░") == 4);
    CHECK(display_width("ü") == 1);
    CHECK(display_width("u\u0308") == 1);  // u and a combining diaeresis
    CHECK(display_width("日本") == 4);     // wide letters take two columns each
    CHECK(display_width("\x1b[1mbold\x1b[0m") == 4);
  }

  TEST_CASE("what a terminal would obey is taken out") {
    CHECK(printable("a\x1b[31mb", true) == "a?[31mb");
    CHECK(printable("a\nb\tc", true) == "a b c");
    CHECK(printable("a\rb\x7f", true) == "a?b?");
    // NOLINTNEXTLINE(misc-misleading-bidirectional): that is what must be taken out
    CHECK(printable("\xe2\x80\xae"
                    "evil",
                    true) == "?evil");                // a direction override
    CHECK(printable("\xff\xc0\xaf", true) == "???");  // broken and overlong UTF-8
    CHECK(printable("\xed\xa0\x80", true) == "???");  // half of a surrogate pair
    CHECK(printable("\xe2\x82", true) == "??");       // cut short
    CHECK(printable("größe", true) == "größe");
  }

  TEST_CASE("outside UTF-8 letters become their nearest spelling") {
    CHECK(printable("2 × 40C – “80C” ≥ 5 …", false) == "2 x 40C - \"80C\" >= 5 ...");
    CHECK(printable("größe", false) == "gr??e");
  }

  TEST_CASE("wrapping breaks at spaces, and cuts a word only when it is wider than the line") {
    CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("", 7) == std::vector<std::string>{""});
    CHECK(wrap("  a   b  ", 7) == std::vector<std::string>{"a b"});
    CHECK(wrap("abcdefghij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
    CHECK(wrap("日本語", 4) == std::vector<std::string>{"日本", "語"});
    CHECK(wrap("x 日", 1) == std::vector<std::string>{"x", "日"});  // no room, and no endless loop
  }

  TEST_CASE("no line of any text is wider than asked, and no letter is lost") {
    CHECK(rc::check("wrap", [] {
      const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab -./")));
      const auto width = *rc::gen::inRange<std::size_t>(1, 30);
      std::string joined;
      for (const std::string& line : wrap(text, width)) {
        RC_ASSERT(display_width(line) <= width);
        joined += line;
      }
      std::string letters = text;
      std::erase(letters, ' ');
      std::erase(joined, ' ');
      RC_ASSERT(joined == letters);
    }));
  }

  TEST_CASE("any bytes come out printable") {
    CHECK(rc::check("printable", [] {
      const auto bytes = *rc::gen::arbitrary<std::string>();
      const std::string ascii = printable(bytes, false);
      RC_ASSERT(std::ranges::all_of(ascii, [](char c) { return c >= ' ' && c <= '~'; }));
      RC_ASSERT(printable(printable(bytes, true), true) == printable(bytes, true));
    }));
  }

  TEST_CASE("padding fills to the column and never cuts") {
    CHECK(pad_right("ab", 4) == "ab  ");
    CHECK(pad_left("ü", 3) == "  ü");
    CHECK(pad_left("abc", 2) == "abc");
  }
}
