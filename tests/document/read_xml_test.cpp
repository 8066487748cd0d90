#include <doctest/doctest.h>

#include <string>

#include "document/xml.hpp"

using namespace gpushape;

TEST_SUITE("document") {
  TEST_CASE("elements keep their text, attributes, order and place") {
    const auto read = document::read_xml(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<a>\n  <b n=\"1\"> x &amp; y "
        "</b>\n"
        "  <b n=\"2\"/>\n</a>\n",
        "a.xml");
    REQUIRE(read.has_value());
    CHECK(read->root.name == "a");
    REQUIRE(read->root.children.size() == 2);
    CHECK(read->root.text_at("b") == "x & y");
    CHECK(read->root.children[1].attribute("n") == "2");
    CHECK(read->root.children[1].position.line == 5);
    CHECK(read->root.text_at("b/c").empty());
  }

  TEST_CASE("entities are refused where they are declared") {
    const auto read = document::read_xml(
        "<!DOCTYPE a [<!ENTITY x \"lol\"><!ENTITY y \"&x;&x;&x;\">]><a>&y;</a>", "a.xml");
    REQUIRE_FALSE(read.has_value());
    CHECK(to_text(read.error()).find("entity 'x'") != std::string::npos);
  }

  TEST_CASE("deep, cut-off and mismatched texts are complaints with their place") {
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "<a>";
    CHECK_FALSE(document::read_xml(deep, "a.xml").has_value());
    const auto read = document::read_xml("<a>\n<b></a>", "a.xml");
    REQUIRE_FALSE(read.has_value());
    CHECK(to_text(read.error()).find("a.xml:2") != std::string::npos);
    CHECK_FALSE(document::read_xml("<a", "a.xml").has_value());
    CHECK_FALSE(document::read_xml("", "a.xml").has_value());
  }
}
