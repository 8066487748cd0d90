#include "document/reader.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape::document;
using gpushape::Bytes;
using gpushape::Diagnostic;
using gpushape::Diagnostics;

namespace {

enum class Colour { Red, Green };

// A document and a reader of its root.
struct Reading {
  explicit Reading(std::string_view text)
      : document(std::move(read_yaml(text, "test.yaml").value().front())),
        reader(document.root, *document.source, diagnostics, "device") {}

  Document document;
  Diagnostics diagnostics;
  Reader reader;

  // "3:5 message"
  [[nodiscard]] std::string complaint(std::size_t index) const {
    if (index >= diagnostics.size()) return "none";
    const Diagnostic& diagnostic = diagnostics[index];
    return std::to_string(diagnostic.span.line) + ":" + std::to_string(diagnostic.span.column) +
           " " + diagnostic.message;
  }
};

}  // namespace

template <>
inline constexpr auto gpushape::kNames<Colour> = std::to_array<gpushape::NameRow<Colour>>({
    {Colour::Red, "red", "like a rose"},
    {Colour::Green, "green", "like grass"},
});

TEST_SUITE("document") {
  TEST_CASE("a reader takes typed fields") {
    Reading reading(
        "id: h100\nmemory: 8192\nratio: 0.5\nwhole: 2\nhas: true\nsize: 1e3\nnames: [a, b]\n"
        "counts: [1, 2.0]\ncolour: green\nmig: {slices: 7}\nrows:\n- {n: 1}\n- {n: 2}\n");
    Reader& reader = reading.reader;
    CHECK(reader.text("id") == "h100");
    CHECK(reader.bytes("memory") == Bytes(8192));
    CHECK(reader.number("ratio") == 0.5);
    CHECK(reader.number("whole") == 2.0);
    CHECK(reader.boolean("has") == true);
    CHECK(reader.integer("size") == 1000);
    CHECK(reader.texts("names") == std::vector<std::string>{"a", "b"});
    CHECK(reader.integers("counts") == std::vector<std::int64_t>{1, 2});
    CHECK(reader.choice<Colour>("colour") == Colour::Green);
    auto mig = reader.mapping("mig");
    REQUIRE(mig.has_value());
    CHECK(mig->what() == "device.mig");
    CHECK(mig->required_integer("slices") == 7);
    std::vector<Reader> rows = reader.mappings("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].integer("n") == 2);
    CHECK(reader.place_of("memory") == "test.yaml:2");
    CHECK(reader.place_of("absent") == "test.yaml:1");
    reader.finish();
    CHECK(reading.diagnostics.empty());
  }

  TEST_CASE("what is absent is nothing, and no complaint") {
    Reading reading("id: x\n");
    Reader& reader = reading.reader;
    CHECK(reader.has("id"));
    CHECK_FALSE(reader.has("name"));
    CHECK(reader.text("name") == std::nullopt);
    CHECK(reader.integer("n") == std::nullopt);
    CHECK(reader.number("n") == std::nullopt);
    CHECK(reader.bytes("n") == std::nullopt);
    CHECK(reader.boolean("n") == std::nullopt);
    CHECK(reader.texts("n").empty());
    CHECK(reader.integers("n").empty());
    CHECK_FALSE(reader.mapping("n").has_value());
    CHECK(reader.mappings("n").empty());
    CHECK(reader.node("n") == nullptr);
    CHECK(reader.choice<Colour>("n") == std::nullopt);
    CHECK(reading.diagnostics.empty());
  }

  TEST_CASE("a value of the wrong kind is complained of at its place") {
    struct Row {
      std::string_view value;
      std::string_view field;
      std::string_view complaint;
    };
    const auto rows = std::to_array<Row>({
        {"abc", "integer", R"(2:4 n: expected an integer, found the string "abc")"},
        {"1.5", "integer", "2:4 n: expected an integer, found the number 1.5"},
        {"true", "integer", "2:4 n: expected an integer, found the boolean true"},
        {"[1]", "integer", "2:4 n: expected an integer, found a sequence"},
        {"{a: 1}", "integer", "2:4 n: expected an integer, found a mapping"},
        {"", "integer", "2:1 n: expected an integer, found null"},
        {".nan", "integer", "2:4 n: expected an integer, found not a number (NaN)"},
        {".inf", "integer", "2:4 n: expected an integer, found an infinite number"},
        {"1e400", "integer", "2:4 n: expected an integer, found an infinite number"},
        {"1e30", "integer", "2:4 n: 1.0e+30 is far beyond any value that makes sense here"},
        {"9223372036854775808", "integer",
         "2:4 n: 9223372036854775808.0 is far beyond any value that makes sense here"},
        {"-1", "bytes", "2:4 n: -1 is below the least value 0"},
        {"0", "from 1", "2:4 n: 0 is below the least value 1"},
        {"9", "from 1", "2:4 n: 9 is above the greatest value 8"},
        {"x", "number", R"(2:4 n: expected a number, found the string "x")"},
        {".inf", "number", "2:4 n: expected a number, found an infinite number"},
        {".nan", "number", "2:4 n: expected a number, found not a number (NaN)"},
        {"1.5", "up to 1", "2:4 n: 1.5 is above the greatest value 1"},
        {"-0.5", "up to 1", "2:4 n: -0.5 is below the least value 0"},
        {"5", "text", "2:4 n: expected a string, found the integer 5"},
        {"1", "boolean", "2:4 n: expected true or false, found the integer 1"},
        {"a", "texts", R"(2:4 n: expected a sequence, found the string "a")"},
        {"[a, 1]", "texts", "2:8 n: expected a string, found the integer 1"},
        {"[1, a]", "integers", R"(2:8 n: expected an integer, found the string "a")"},
        {"[1]", "mapping", "2:4 n: expected a mapping, found a sequence"},
        {"[{}, 1]", "mappings", "2:9 n: expected a mapping, found the integer 1"},
        {"blue", "choice", R"(2:4 n: "blue" is not known)"},
    });
    for (const Row& row : rows) {
      CAPTURE(row.value);
      CAPTURE(row.field);
      Reading reading("# n\nn: " + std::string(row.value) + "\n");
      Reader& reader = reading.reader;
      if (row.field == "integer") CHECK(reader.integer("n") == std::nullopt);
      if (row.field == "from 1")
        CHECK(reader.integer("n", {.least = 1, .most = 8}) == std::nullopt);
      if (row.field == "bytes") CHECK(reader.bytes("n") == std::nullopt);
      if (row.field == "number") CHECK(reader.number("n") == std::nullopt);
      if (row.field == "up to 1")
        CHECK(reader.number("n", {.least = 0, .most = 1}) == std::nullopt);
      if (row.field == "text") CHECK(reader.text("n") == std::nullopt);
      if (row.field == "boolean") CHECK(reader.boolean("n") == std::nullopt);
      if (row.field == "texts") CHECK(reader.texts("n").size() <= 1);
      if (row.field == "integers") CHECK(reader.integers("n").size() == 1);
      if (row.field == "mapping") CHECK_FALSE(reader.mapping("n").has_value());
      if (row.field == "mappings") CHECK(reader.mappings("n").size() == 1);
      if (row.field == "choice") CHECK(reader.choice<Colour>("n") == std::nullopt);
      CHECK(reading.diagnostics.size() == 1);
      CHECK(reading.complaint(0) == row.complaint);
    }
  }

  TEST_CASE("a wrong name of a choice is answered with the nearest, or with all") {
    Reading near("colour: gren\n");
    CHECK(near.reader.choice<Colour>("colour") == std::nullopt);
    CHECK(near.diagnostics.at(0).help == "did you mean 'green'?");
    Reading far("colour: blue\n");
    CHECK(far.reader.choice<Colour>("colour") == std::nullopt);
    CHECK(far.diagnostics.at(0).help == "one of red, green");
  }

  TEST_CASE("required fields that are missing are named, with what they should hold") {
    Reading reading("a: 1\n");
    Reader& reader = reading.reader;
    CHECK(reader.required_text("id").empty());
    CHECK(reader.required_integer("n") == 0);
    CHECK(reader.required_number("x") == 0);
    CHECK_FALSE(reader.required_boolean("b"));
    CHECK(reader.required_bytes("size") == Bytes());
    CHECK_FALSE(reader.required_mapping("m").has_value());
    REQUIRE(reading.diagnostics.size() == 6);
    CHECK(reading.complaint(0) == R"(1:1 device: field "id" is missing)");
    CHECK(reading.diagnostics[0].help == "add it, with a string");
    CHECK(reader.required_integer("a") == 1);
    CHECK(reading.diagnostics.size() == 6);
  }

  TEST_CASE("unknown and duplicate fields are named at the end") {
    Reading reading("memoryGb: 1\nid: x\nzzz: 2\nid: y\n");
    CHECK(reading.reader.text("id") == "x");
    CHECK_FALSE(reading.reader.has("memoryGB"));
    reading.reader.finish();
    REQUIRE(reading.diagnostics.size() == 3);
    CHECK(reading.complaint(0) == R"(1:1 device: field "memoryGb" is not known)");
    CHECK(reading.diagnostics[0].help == "did you mean 'memoryGB'?");
    CHECK(reading.complaint(1) == R"(3:1 device: field "zzz" is not known)");
    CHECK(reading.diagnostics[1].help.empty());
    CHECK(reading.complaint(2) == R"(4:1 device: field "id" is given twice)");
    CHECK(reading.diagnostics[2].help == "it stands in line 2 already");
    CHECK(reading.diagnostics[2].excerpt == "id: y");
    CHECK(reading.diagnostics[2].span.length == 2);
  }

  TEST_CASE("what is no mapping is complained of once") {
    Reading reading("[1]\n");
    CHECK(reading.reader.required_text("id").empty());
    reading.reader.finish();
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(reading.complaint(0) == "1:1 device: expected a mapping, found a sequence");
  }

  TEST_CASE("a caller's own complaint stands at the field, or at the mapping without it") {
    Reading reading("# c\na: 1\n");
    reading.reader.complain("a", "a is odd", "make it even");
    reading.reader.complain("b", "b should be there", "");
    reading.reader.complain(std::string("the device is odd"));
    CHECK(reading.complaint(0) == "2:4 a is odd");
    CHECK(reading.diagnostics[0].help == "make it even");
    CHECK(reading.complaint(1) == "2:1 b should be there");
    CHECK(reading.complaint(2) == "2:1 the device is odd");
  }

  TEST_CASE("a file with countless faults is answered with a hundred of them") {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "k" + std::to_string(i) + ": 1\n";
    Reading reading(text);
    reading.reader.finish();
    CHECK(reading.diagnostics.size() == 100);
  }

  TEST_CASE("long and hostile text is cut in messages") {
    Reading reading("n: \"" + std::string(1000, 'x') + "\"\n");
    CHECK(reading.reader.integer("n") == std::nullopt);
    CHECK(reading.diagnostics.at(0).message.size() < 120);
  }
}
