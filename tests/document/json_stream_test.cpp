#include "document/json_stream.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gpushape::document::JsonStream;
using Event = JsonStream::Event;

namespace {

std::string told(std::string_view text, int depth = 20) {
  JsonStream stream(text, depth);
  std::string story;
  for (;;) {
    switch (stream.next()) {
      case Event::BeginMapping:
        story += '{';
        break;
      case Event::EndMapping:
        story += '}';
        break;
      case Event::BeginSequence:
        story += '[';
        break;
      case Event::EndSequence:
        story += ']';
        break;
      case Event::Name:
        story += std::string(stream.text()) + ":";
        break;
      case Event::String:
        story += "'" + std::string(stream.text()) + "' ";
        break;
      case Event::Integer:
        story += std::to_string(stream.integer()) + " ";
        break;
      case Event::Number:
        story += "number ";
        break;
      case Event::Boolean:
        story += stream.boolean() ? "yes " : "no ";
        break;
      case Event::Null:
        story += "null ";
        break;
      case Event::End:
        return story;
      case Event::Fault:
        return "at " + std::to_string(stream.offset()) + ": " + stream.fault();
    }
  }
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("a text is told in the order in which it stands") {
    CHECK(
        told(
            R"( {"a": [1, -2, 3.5], "b": {"c": "d\n\u00e9\ud83d\ude00", "e": null}, "f": true} )") ==
        "{a:[1 -2 number ]b:{c:'d\n\xC3\xA9\xF0\x9F\x98\x80' e:null }f:yes }");
    CHECK(told("[]") == "[]");
    CHECK(told("{}") == "{}");
    CHECK(told("99999999999999999999") == "number ");
    CHECK(told("[Infinity, -Infinity, NaN]") == "[number number number ]");
  }

  TEST_CASE("the first fault ends the story, with its place") {
    struct Row {
      const char* text;
      const char* fault;
    };
    const std::vector<Row> rows = {
        {"", "at 0: the text ends in the middle"},
        {"{\"a\" 1}", "at 5: expected ':' after a name"},
        {"{\"a\": 1,}", "at 8: expected a name in double quotes"},
        {"[1 2]", "at 3: expected ',' or ']'"},
        {"[1,]", "at 3: expected a value"},
        {"{\"a\": 1", "at 7: expected ',' or '}'"},
        {"[1", "at 2: expected ',' or ']'"},
        {"1 2", "at 2: more than one value"},
        {"\"a", "at 0: this string does not end"},
        {"\"\\x\"", "at 1: unknown escape in a string"},
        {"\"\\ud800\"", "at 1: unknown escape in a string"},
        {"\"\\", "at 1: unknown escape in a string"},
        {"\"\n\"", "at 1: a control character stands in a string"},
        {"\"\xff\"", "at 0: this string is not UTF-8"},
        {"01", "at 0: this is not a number"},
        {"-", "at 0: this is not a number"},
        {"1.e5", "at 0: this is not a number"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.text);
      CHECK(told(row.text) == row.fault);
    }
    CHECK(told("[[[1]]]", 2) == "at 2: nested too deep");
    CHECK(told(std::string(1'000'000, '[')).find("nested too deep") != std::string::npos);
  }

  TEST_CASE("values are passed over whole") {
    JsonStream stream(R"({"a": {"b": [1, {"c": 2}]}, "d": 3})");
    CHECK(stream.next() == Event::BeginMapping);
    CHECK(stream.next() == Event::Name);
    CHECK(stream.skip_value());
    CHECK(stream.next() == Event::Name);
    CHECK(stream.text() == "d");
    CHECK(stream.skip_value());
    CHECK(stream.next() == Event::EndMapping);
    CHECK_FALSE(stream.skip_value());
    JsonStream broken(R"({"a": [1, )");
    CHECK(broken.next() == Event::BeginMapping);
    CHECK(broken.next() == Event::Name);
    CHECK_FALSE(broken.skip_value());
  }
}
