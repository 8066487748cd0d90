// The documents of a YAML stream by themselves: a broken one hides no other.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "document/text_format.hpp"

using namespace gpushape;
using document::read_yaml_stream;
using document::YamlStream;

TEST_SUITE("document") {
  TEST_CASE("a broken document of a stream is a fault at its place, and the others are read") {
    const YamlStream stream = read_yaml_stream(
        "kind: A\n---\nkind: B\nname: [1, 2\n---\n# a comment\nkind: C\nrows:\n- {x: 1}\n",
        "f.yaml");
    REQUIRE(stream.documents.size() == 2);
    CHECK(stream.documents[0].root.find("kind")->text() == "A");
    const document::Node& last = stream.documents[1].root;
    CHECK(last.position().line == 7);
    CHECK(last.find("kind")->position().line == 7);
    CHECK(last.find("kind")->position().column == 7);
    CHECK(last.find("rows")->items()[0].entries()[0].position.line == 9);
    // All of them speak of the one file.
    CHECK(stream.documents[0].source == stream.documents[1].source);
    CHECK(stream.documents[1].source->line(7) == "kind: C");
    REQUIRE(stream.faults.size() == 1);
    CHECK(stream.faults[0].span.file == "f.yaml");
    CHECK(stream.faults[0].span.line >= 3);
    CHECK(stream.faults[0].span.line <= 5);
  }

  TEST_CASE("every broken document is told of once") {
    const YamlStream stream =
        read_yaml_stream("a: {\n---\nb: 1\n--- \nc: \"x\n---\nd: @\n", "f.yaml");
    CHECK(stream.documents.size() == 1);
    REQUIRE(stream.faults.size() == 3);
    CHECK(stream.faults[2].span.line == 7);
    CHECK(stream.faults[2].excerpt == "d: @");
  }

  TEST_CASE("only a line that begins with the marker parts documents") {
    // YAML 1.2.2, 9.1.2: a line of content never begins with `---` and a blank.
    const YamlStream stream = read_yaml_stream(
        "text: |\n  one\n  ---\n  two\nfolded: >-\n  a\n\n  --- b\nrule: ---x\n---\n\tbad: 1\n--- "
        "{c: 3}\n"
        "---x: 4\n",
        "f.yaml");
    REQUIRE_FALSE(stream.documents.empty());
    CHECK(stream.documents[0].root.find("text")->text() == "one\n---\ntwo\n");
    CHECK(stream.documents[0].root.find("rule")->text() == "---x");
    REQUIRE(stream.faults.size() == 2);
    CHECK(stream.faults[0].span.line == 11);
    CHECK(stream.documents.size() == 1);
  }

  TEST_CASE("what stands between markers and says nothing is no document") {
    const YamlStream stream = read_yaml_stream(
        "%YAML 1.1\n---\na: 1\n...\n---\n# only words\n---\n---  \n...\n---\nb: [\n---\r\nc: 3\r\n",
        "f.yaml");
    REQUIRE(stream.documents.size() == 2);
    CHECK(stream.documents[0].root.find("a")->integer() == 1);
    CHECK(stream.documents[1].root.find("c")->position().line == 13);
    CHECK(stream.faults.size() == 1);
    CHECK(read_yaml_stream("---\n# nothing\n---\n", "f.yaml").faults.size() == 1);
    CHECK(read_yaml_stream("", "f.yaml").faults.size() == 1);
    CHECK(read_yaml_stream("a: 1\n---\nb: \x01\n", "f.yaml").documents.empty());
  }

  TEST_CASE("a stream in order is read as the reader of whole files reads it") {
    const std::string text = "# head\na: &x [1, {b: 2}]\nc: *x\n---\nd: |\n  e\n...\n---\nf: 1\n";
    const auto whole = document::read_yaml(text, "f.yaml");
    const YamlStream stream = read_yaml_stream(text, "f.yaml");
    REQUIRE(whole);
    CHECK(stream.faults.empty());
    REQUIRE(stream.documents.size() == whole->size());
    for (std::size_t i = 0; i < whole->size(); ++i) {
      CHECK(write_yaml(stream.documents[i].root) == write_yaml((*whole)[i].root));
      CHECK((stream.documents[i].root.position() == (*whole)[i].root.position()));
    }
  }

  TEST_CASE("the limits hold for all documents together") {
    // Each document alone expands to 20 MiB; an alias costs five bytes.
    std::string bomb = "text: &a \"" + std::string(200'000, 'x') + "\"\nrows:\n";
    for (int i = 0; i < 100; ++i) bomb += "- *a\n";
    std::string text = "broken: [\n";
    for (int i = 0; i < 20; ++i) text += "---\n" + bomb;
    const YamlStream stream = read_yaml_stream(text, "f.yaml");
    CHECK(stream.documents.size() <= 2);
    REQUIRE(stream.faults.size() == 2);
    CHECK(stream.faults[1].message.contains("expand to more than"));

    std::string many = "broken: [\n";
    for (int i = 0; i < 50; ++i) many += "---\n[1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
    document::Limits limits;
    limits.nodes = 100;
    const YamlStream few = read_yaml_stream(many, "f.yaml", limits);
    CHECK(few.documents.size() <= 10);
    CHECK(few.faults.size() == 2);
  }

  TEST_CASE("a stream of nothing but markers and faults ends") {
    std::string markers;
    for (int i = 0; i < 100'000; ++i) markers += "---\n";
    CHECK(read_yaml_stream(markers, "f.yaml").documents.empty());
    std::string faults;
    for (int i = 0; i < 2'000; ++i) faults += "---\n{[\n";
    CHECK(read_yaml_stream(faults, "f.yaml").faults.size() == 2'000);
    const std::string deep = "ok: 1\n---\n" + std::string(100'000, '[') + "\n---\nalso: 2\n";
    const YamlStream stream = read_yaml_stream(deep, "f.yaml");
    CHECK(stream.documents.size() == 2);
    CHECK(stream.faults.size() == 1);
  }

  TEST_CASE("lines far behind are found by their marks") {
    std::string text;
    for (int i = 1; i <= 1000; ++i) text += "k" + std::to_string(i) + ": 1\n";
    const auto documents = document::read_yaml(text, "f.yaml");
    REQUIRE(documents);
    const document::Source& source = *documents->front().source;
    for (const int line : {1, 2, 127, 128, 129, 130, 256, 257, 999, 1000}) {
      CAPTURE(line);
      CHECK(source.line(line) == "k" + std::to_string(line) + ": 1");
    }
    CHECK(source.line(1001).empty());
    CHECK(source.line(100'000).empty());
  }
}
