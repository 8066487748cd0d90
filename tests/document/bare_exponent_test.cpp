#include <doctest/doctest.h>

#include <string>

#include "document/text_format.hpp"

using namespace gpushape;

TEST_SUITE("document") {
  // YAML 1.1 type repository, float: [-+]?([0-9][0-9_]*)?(\.[0-9_]*)?[eE][-+]?[0-9]+ as npm's yaml
  // reads it: E0 is the number 0 there.
  TEST_CASE("a string that is an exponent alone is quoted") {
    for (const std::string text : {"E0", "e5", "E-3", "+e7"}) {
      CAPTURE(text);
      CHECK(document::write_yaml(document::Node(text)) == "\"" + text + "\"\n");
    }
    for (const std::string text : {"E", "e", "E0x", "east", "E-"}) {
      CAPTURE(text);
      CHECK(document::write_yaml(document::Node(text)) == text + "\n");
    }
  }
}
