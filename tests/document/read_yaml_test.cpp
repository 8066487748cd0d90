#include <doctest/doctest.h>

#include <array>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape::document;
using gpushape::Diagnostic;

namespace {

Node yaml_of(std::string_view text) {
  const auto documents = read_yaml(text, "test.yaml");
  REQUIRE_MESSAGE(documents.has_value(), to_text(documents.error()));
  REQUIRE(documents->size() == 1);
  return documents->front().root;
}

Diagnostic refuse_yaml(std::string_view text, const Limits& limits = {}) {
  const auto documents = read_yaml(text, "test.yaml", limits);
  REQUIRE_FALSE(documents.has_value());
  REQUIRE(documents.error().size() == 1);
  return documents.error().front();
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("every YAML value and field name knows its line, column and length") {
    // Columns count bytes from 1; lengths are those of the text as written, quotes included.
    const Node root = yaml_of(
        "# first\n"
        "id: llama  # behind\n"
        "\"in quotes\": 'it''s'\n"
        "seq:\n"
        "- 12\n"
        "- {a: [true, ~]}\n"
        "\xc3\xa9: \"\xc3\xbc\"\n"
        "text: |\n"
        "  one\n"
        "folded: two words\n"
        "  and more\n"
        "bare:\n"
        "tagged: !!str &x 5\n"
        "alias: *x\n");
    CHECK(root.position() == Position{2, 1, 1});
    CHECK(root.find("id")->position() == Position{2, 5, 5});
    CHECK(root.entries()[1].position == Position{3, 1, 11});
    CHECK(root.find("in quotes")->position() == Position{3, 14, 7});
    CHECK(root.find("seq")->position() == Position{5, 1, 1});
    CHECK(root.find("seq")->items()[0].position() == Position{5, 3, 2});
    const Node& flow = root.find("seq")->items()[1];
    CHECK(flow.position() == Position{6, 3, 1});
    CHECK(flow.entries()[0].position == Position{6, 4, 1});
    CHECK(flow.find("a")->items()[0].position() == Position{6, 8, 4});
    CHECK(flow.find("a")->items()[1].position() == Position{6, 14, 1});
    CHECK(root.entries()[3].position == Position{7, 1, 2});  // e with acute: two bytes
    CHECK(root.entries()[3].value.position() == Position{7, 5, 4});
    CHECK(root.find("text")->position() == Position{8, 7, 1});
    CHECK(root.find("folded")->position() == Position{10, 9, 9});
    CHECK(root.find("bare")->position() == Position{12, 1, 4});  // nothing is written: its name
    CHECK(root.find("tagged")->position() == Position{13, 18, 1});
    CHECK(root.find("alias")->position() == Position{14, 8, 1});
  }

  TEST_CASE("quotes make a string of anything") {
    const Node root = yaml_of("a: \"1\"\nb: 'yes'\nc: |\n  2\nd: !!str 3\ne: ! 4\nf: 5\n");
    CHECK(root.find("a")->text() == "1");
    CHECK(root.find("a")->quoted());
    CHECK(root.find("b")->text() == "yes");
    CHECK(root.find("c")->text() == "2\n");
    CHECK(root.find("c")->quoted());
    CHECK(root.find("d")->text() == "3");
    CHECK_FALSE(root.find("d")->quoted());
    CHECK(root.find("e")->text() == "4");
    CHECK(root.find("f")->integer() == 5);
    CHECK_FALSE(root.find("f")->quoted());
  }

  // YAML 1.2.2, 5.7: backslash and N is U+0085, _ U+00A0, L U+2028, P U+2029.
  TEST_CASE("escapes of separators are whole characters") {
    const Node root = yaml_of(R"(text: "\N\_\L\P\xe9é")"
                              "\n\"\\N\": 1\n");
    CHECK(root.find("text")->text() == "\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\xC3\xA9\xC3\xA9");
    CHECK(root.find("\xC2\x85") != nullptr);
  }

  TEST_CASE("duplicate field names are kept, in order") {
    const Node root = yaml_of("a: 1\nb: 2\na: 3\n");
    REQUIRE(root.entries().size() == 3);
    CHECK(root.entries()[2].name == "a");
    CHECK(root.entries()[2].position.line == 3);
    CHECK(root.find("a")->integer() == 1);
  }

  TEST_CASE("aliases stand for what their anchors name") {
    const Node root = yaml_of("a: &x {k: [1, 2]}\nb: *x\nc: [*x, *x]\n&n name: 1\nagain: *n\n");
    CHECK(*root.find("b") == *root.find("a"));
    CHECK(root.find("c")->items()[1] == *root.find("a"));
    CHECK(root.find("b")->position().line == 2);
    CHECK(root.find("b")->find("k")->position().line == 1);
    CHECK(root.find("again")->text() == "name");
  }

  TEST_CASE("the merge key adds fields that are not there") {
    // YAML 1.1, "Merge Key Language-Independent Type": own fields win, then the first base.
    const Node root = yaml_of(
        "- &a {x: 1, y: 2}\n- &b {x: 3, z: 4}\n- {<<: *a, y: 5}\n- {<<: [*a, *b]}\n- {\"<<\": "
        "6}\n");
    Node own = Node::mapping();
    own.set("y", 5);
    own.set("x", 1);
    CHECK(root.items()[2] == own);
    Node both = Node::mapping();
    both.set("x", 1);
    both.set("y", 2);
    both.set("z", 4);
    CHECK(root.items()[3] == both);
    CHECK(root.items()[4].find("<<")->integer() == 6);
    CHECK(refuse_yaml("<<: 1\n").message == "'<<' expects a mapping or a sequence of mappings");
  }

  TEST_CASE("a stream holds several documents, and empty ones do not count") {
    const auto documents =
        read_yaml("---\n---\na: 1\n---\n# none\n---\nnull\n...\nb: 2\n---\n", "f");
    REQUIRE(documents.has_value());
    REQUIRE(documents->size() == 3);
    CHECK((*documents)[0].root.find("a")->position().line == 3);
    CHECK((*documents)[1].root.is(Node::Kind::Null));
    CHECK((*documents)[2].root.find("b")->integer() == 2);
    CHECK((*documents)[2].source->file == "f");
  }

  TEST_CASE("line ends of other systems and a byte order mark change nothing") {
    const Node root = yaml_of(
        "\xEF\xBB\xBF"
        "a: 1\r\nb: two\r\n");
    CHECK(root.find("a")->position() == Position{1, 4, 1});
    CHECK(root.find("b")->text() == "two");
    CHECK(root.find("b")->position() == Position{2, 4, 3});
  }

  TEST_CASE("broken YAML is refused with its place") {
    struct Row {
      std::string text;
      std::string message;
      int line;
      int column;
    };
    const auto rows = std::to_array<Row>({
        {"", "test.yaml is empty", 0, 0},
        {" \n\t\n", "test.yaml is empty", 0, 0},
        {"# only a comment\n", "test.yaml holds no document", 0, 0},
        {"a: b: c\n", "not valid YAML: illegal map value", 1, 5},
        {"a: [1, 2\n", "not valid YAML: end of sequence flow not found", 2, 1},
        {"a: \"x\n\n", "not valid YAML: this quoted string does not end", 1, 4},
        {"a: 'x\n\n", "not valid YAML: this quoted string does not end", 1, 4},
        {"a: [[1]\n", "not valid YAML: end of sequence flow not found", 2, 1},
        {"{a: 1", "not valid YAML: end of map flow not found", 1, 1},
        {"\"a\" \"b\"\n", "not valid YAML: nothing may follow the value", 1, 5},
        {"a: *x\n", "not valid YAML: the referenced anchor is not defined", 1, 4},
        {"&a [*a]\n", "this alias stands within what it refers to", 1, 5},
        {"a: !Ref x\n", "the tag '!Ref' is not known", 1, 9},
        {"a: !!int x\n", "this value is not what its tag !!int says", 1, 10},
        {"? [a]\n: 1\n", "a field name must be a string", 1, 3},
        {"? {a: 1}\n: 1\n", "a field name must be a string", 1, 3},
        {": 1\n", "a field name must be a string", 1, 1},
        {"a: 1\nb: \xFF\n", "byte 0xff is not UTF-8", 2, 4},
        {"a: \xC0\x80\n", "byte 0xc0 is not UTF-8", 1, 4},          // overlong
        {"a: \xED\xA0\x80\n", "byte 0xed is not UTF-8", 1, 4},      // surrogate
        {"a: \xF4\x90\x80\x80\n", "byte 0xf4 is not UTF-8", 1, 4},  // above U+10FFFF
        {"a: \x04 b\n", "control character 0x04 is not allowed in a text", 1, 4},
        {std::string("a: \0", 4), "control character 0x00 is not allowed in a text", 1, 4},
    });
    for (const Row& row : rows) {
      CAPTURE(row.text);
      const Diagnostic diagnostic = refuse_yaml(row.text);
      CHECK(diagnostic.message == row.message);
      CHECK(diagnostic.span.file == "test.yaml");
      CHECK(diagnostic.span.line == row.line);
      CHECK(diagnostic.span.column == row.column);
    }
    CHECK(refuse_yaml("a:\n\tb: 1\n").help == "indent with spaces; YAML allows no tabs there");
    CHECK(refuse_yaml("a: b: c\n").excerpt == "a: b: c");
  }

  TEST_CASE("hostile YAML is refused before it takes time, stack or memory") {
    struct Row {
      std::string_view name;
      std::string text;
      std::string_view message;
    };
    std::string indented;
    for (std::size_t i = 0; i < 3000; ++i) indented += std::string(i, ' ') + "a:\n";
    std::string laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
    for (const std::string_view pair : {"ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"}) {
      const std::string alias = std::string("*") + pair[0];
      laughs += std::string(1, pair[1]) + ": &" + pair[1] + " [" + alias;
      laughs += repeated("," + alias, 9) + "]\n";
    }
    std::string chain = "a0: &a0 [x]\n";
    for (int i = 1; i < 3000; ++i) {
      const std::string name = "a" + std::to_string(i);
      chain += name;
      chain += ": &";
      chain += name;
      chain += " [*a" + std::to_string(i - 1) + "]\n";
    }
    std::string merges = "a: &a {";
    for (int i = 0; i < 10000; ++i) merges += "k" + std::to_string(i) + ": 1, ";
    merges += "}\nb:\n" + repeated("  <<: *a\n", 1000);
    constexpr std::string_view kDeep = "nested deeper than 100 levels";
    constexpr std::string_view kExpanded = "the aliases of this file expand to more than 32 MiB";
    const auto rows = std::to_array<Row>({
        {"brackets", repeated("[", 100'000), kDeep},
        {"braces", repeated("{a: ", 100'000), kDeep},
        {"dashes", repeated("- ", 100'000) + "a\n", kDeep},
        {"indentation", indented, kDeep},
        {"chain of aliases", chain, kDeep},
        {"aliases of aliases", laughs, kExpanded},
        {"aliases of a long string",
         "a: &a " + std::string(1'000'000, 'x') + "\nb: [" + repeated("*a,", 1000) + "]\n",
         kExpanded},
        {"merges", merges, kExpanded},
        {"too long", std::string((16U << 20U) + 1, 'x'), "test.yaml is larger than 16777216 bytes"},
    });
    for (const Row& row : rows) {
      CAPTURE(row.name);
      CHECK(refuse_yaml(row.text).message == row.message);
    }
    // Quadratic work on these would take minutes.
    const auto many_merges = read_yaml("a:\n" + repeated("  <<: {}\n", 100'000), "f");
    REQUIRE(many_merges.has_value());
    CHECK(many_merges->front().root.find("a")->entries().empty());
    CHECK(refuse_yaml("[1, 2, 3]", {.nodes = 3}).message == "more than 3 values in one file");
    CHECK(refuse_yaml("[[]]", {.depth = 1}).message == "nested deeper than 1 levels");
    CHECK(refuse_yaml("abcd", {.bytes = 3}).message == "test.yaml is larger than 3 bytes");
  }
}
