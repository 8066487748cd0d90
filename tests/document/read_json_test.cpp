#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape::document;
using gpushape::Diagnostic;

namespace {

Node json_of(std::string_view text) {
  const auto document = read_json(text, "test.json");
  REQUIRE_MESSAGE(document.has_value(), to_text(document.error()));
  return document->root;
}

Diagnostic refuse_json(std::string_view text, const Limits& limits = {}) {
  const auto document = read_json(text, "test.json", limits);
  REQUIRE_FALSE(document.has_value());
  REQUIRE(document.error().size() == 1);
  return document.error().front();
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("every JSON value and field name knows its line, column and length") {
    const Node root = json_of("{\"a\": 12,\n  \"b\": [true, \"x\\n\"],\r\n  \"c\" : {}}\n");
    CHECK(root.position() == Position{1, 1, 1});
    CHECK(root.entries()[0].position == Position{1, 2, 3});
    CHECK(root.find("a")->position() == Position{1, 7, 2});
    CHECK(root.find("b")->position() == Position{2, 8, 1});
    CHECK(root.find("b")->items()[0].position() == Position{2, 9, 4});
    CHECK(root.find("b")->items()[1].position() == Position{2, 15, 5});
    CHECK(root.entries()[2].position == Position{3, 3, 3});
    CHECK(root.find("c")->position() == Position{3, 9, 1});
  }

  TEST_CASE(
      "JSON values are what RFC 8259 says, and the words of Python for numbers that are none") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    struct Row {
      std::string_view text;
      Node value;
    };
    const auto rows = std::to_array<Row>({
        {"null", Node()},
        {"true", true},
        {" false ", false},
        {"0", 0},
        {"-7", -7},
        {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
        {"9223372036854775808", 9223372036854775808.0},
        {"1.0", 1.0},
        {"-1.5e-3", -0.0015},
        {"1E+2", 100.0},
        {"1e400", kInfinity},
        {"Infinity", kInfinity},
        {"-Infinity", -kInfinity},
        {"NaN", std::nan("")},
        {R"("")", ""},
        {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
        {R"("\u0041\u00e9\u20AC")", "A\xc3\xa9\xe2\x82\xac"},
        {R"("\ud83d\ude00")", "\xf0\x9f\x98\x80"},  // U+1F600
        {"\"\xf0\x9f\x98\x80\"", "\xf0\x9f\x98\x80"},
        {"[]", Node::sequence()},
        {"{ }", Node::mapping()},
    });
    for (const Row& row : rows) {
      CAPTURE(row.text);
      CHECK(json_of(row.text) == row.value);
    }
  }

  TEST_CASE("duplicate field names of JSON are kept, in order") {
    const Node root = json_of(R"({"a": 1, "a": 2})");
    REQUIRE(root.entries().size() == 2);
    CHECK(root.find("a")->integer() == 1);
    CHECK(root.entries()[1].value.integer() == 2);
  }

  TEST_CASE("broken JSON is refused with its place") {
    struct Row {
      std::string text;
      std::string message;
      int line;
      int column;
    };
    const auto rows = std::to_array<Row>({
        {"", "test.json is empty", 0, 0},
        {"{", "not valid JSON: expected ',' or '}', found the end of the text", 1, 2},
        {"[1, 2", "not valid JSON: expected ',' or ']', found the end of the text", 1, 6},
        {"[1\n 2]", "not valid JSON: expected ',' or ']', found '2'", 2, 2},
        {"[1,]", "not valid JSON: a value is missing between ',' and ']'", 1, 4},
        {"[,1]", "not valid JSON: expected a value, found ','", 1, 2},
        {"{\"a\": 1,}", "not valid JSON: a value is missing between ',' and '}'", 1, 9},
        {"{a: 1}", "not valid JSON: expected a field name in double quotes, found 'a'", 1, 2},
        {"{\"a\" 1}", "not valid JSON: expected ':' after a field name, found '1'", 1, 6},
        {"{\"a\": }", "not valid JSON: expected a value, found '}'", 1, 7},
        {"[1}", "not valid JSON: expected ',' or ']', found '}'", 1, 3},
        {"1 2", "not valid JSON: nothing may follow the value", 1, 3},
        {"True", "not valid JSON: expected a value, found 'True'", 1, 1},
        {"01", "not valid JSON: a number may not begin with 0", 1, 1},
        {"+1", "not valid JSON: expected a value, found '+'", 1, 1},
        {"-", "not valid JSON: '-' is not followed by a number", 1, 1},
        {"1.", "not valid JSON: '.' is not followed by a digit", 1, 1},
        {"1e", "not valid JSON: the exponent of this number has no digit", 1, 1},
        {"12ab", "not valid JSON: this is not a number", 1, 1},
        {"\"abc", "not valid JSON: this string does not end", 1, 1},
        {"\"abc\\", "not valid JSON: unknown escape in a string", 1, 5},
        {"\"a\nb\"", "not valid JSON: this string does not end on its line", 1, 1},
        {"\"a\tb\"", "not valid JSON: a tab may not stand in a string", 1, 3},
        {R"("\x41")", "not valid JSON: unknown escape in a string", 1, 2},
        {R"("\u12")", "not valid JSON: \\u is followed by four hexadecimal digits", 1, 2},
        {R"("\ud83d")", "not valid JSON: half of a surrogate pair stands alone in a string", 1, 2},
        {R"("\ude00")", "not valid JSON: half of a surrogate pair stands alone in a string", 1, 2},
        {R"("\ud83dA")", "not valid JSON: half of a surrogate pair stands alone in a string", 1, 2},
        {"[\"\xff\"]", "byte 0xff is not UTF-8", 1, 3},
        {"[1] // comment", "not valid JSON: nothing may follow the value", 1, 5},
        {"// comment\n[1]", "not valid JSON: expected a value, found '/'", 1, 1},
        {std::string("[\"\x01\"]"), "control character 0x01 is not allowed in a text", 1, 3},
    });
    for (const Row& row : rows) {
      CAPTURE(row.text);
      const Diagnostic diagnostic = refuse_json(row.text);
      CHECK(diagnostic.message == row.message);
      CHECK(diagnostic.span.line == row.line);
      CHECK(diagnostic.span.column == row.column);
    }
    CHECK(refuse_json("{\n\"a\": [1").help == "the '[' of line 2, column 6 is not closed");
    CHECK(refuse_json("True").help == "JSON writes true and false in small letters");
  }

  TEST_CASE("hostile JSON is refused before it takes stack or memory") {
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    CHECK(refuse_json(std::string(100'000, '[')).message == "nested deeper than 100 levels");
    CHECK(refuse_json(objects).message == "nested deeper than 100 levels");
    CHECK(refuse_json("[1, 2, 3]", {.nodes = 3}).message == "more than 3 values in one file");
    CHECK(refuse_json("[1]", {.bytes = 2}).message == "test.json is larger than 2 bytes");
    CHECK(refuse_json("[" + std::string(1'000'000, '-') + "]").message ==
          "not valid JSON: '-' is not followed by a number");
    CHECK(json_of("[" + std::string(1'000'000, '7') + "]").items()[0].number() ==
          std::numeric_limits<double>::infinity());
  }

  TEST_CASE("a hundred levels are read, and no more") {
    const std::string open(100, '[');
    const std::string close(100, ']');
    CHECK(read_json(open + close, "f").has_value());
    CHECK(refuse_json("[" + open + close + "]").span.column == 101);
  }
}
