#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>

#include "document/text_format.hpp"

using namespace gpushape::document;

TEST_SUITE("document") {
  TEST_CASE("YAML is written in block style, dashes below the name as Kubernetes prints them") {
    Node pod = Node::mapping();
    pod.set("kind", "Pod");
    pod.set("labels", Node::mapping());
    pod.set("args", Node::sequence());
    Node& spec = pod.set("spec", Node::mapping());
    Node& containers = spec.set("containers", Node::sequence());
    Node& first = containers.add(Node::mapping());
    first.set("name", "vllm");
    Node& ports = first.set("ports", Node::sequence());
    ports.add(8000);
    ports.add(Node::sequence()).add(true);
    ports.items().back().add(Node());
    containers.add("last");
    CHECK(write_yaml(pod) ==
          "kind: Pod\n"
          "labels: {}\n"
          "args: []\n"
          "spec:\n"
          "  containers:\n"
          "  - name: vllm\n"
          "    ports:\n"
          "    - 8000\n"
          "    - - true\n"
          "      - null\n"
          "  - last\n");
  }

  TEST_CASE("a node in flow stands in one line, quoted where brackets need it, while it fits") {
    Node layer = Node::mapping();
    layer.set("kind", "sliding");
    layer.set("window", 4096);
    layer.set("kept", Node::sequence()).add("a, b");
    layer.set("like", Node::mapping()).set("re:lm_head", "x");
    Node root = Node::mapping();
    root.set("local", layer).in_flow();
    Node& all = root.set("all", Node::sequence());
    all.add(layer).in_flow();
    CHECK(write_yaml(root) ==
          R"(local: {kind: sliding, window: 4096, kept: ["a, b"], like: {"re:lm_head": x}}
all:
- {kind: sliding, window: 4096, kept: ["a, b"], like: {"re:lm_head": x}}
)");
    Node wide = Node::mapping();
    wide.set("name", Node::sequence()).in_flow().add(std::string(100, 'a'));
    CHECK(write_yaml(wide) == "name:\n- " + std::string(100, 'a') + "\n");
  }

  TEST_CASE("scalars are written so that every reader of YAML agrees on them") {
    struct Row {
      Node value;
      std::string_view text;
    };
    const auto rows = std::to_array<Row>({
        {Node(), "null"},
        {true, "true"},
        {-1, "-1"},
        {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
        {1.0, "1.0"},
        {0.1, "0.1"},
        {1e30, "1.0e+30"},  // YAML 1.1 takes an exponent without a point for a string
        {1.5e-7, "1.5e-07"},
        {std::numeric_limits<double>::infinity(), ".inf"},
        {-std::numeric_limits<double>::infinity(), "-.inf"},
        {std::numeric_limits<double>::quiet_NaN(), ".nan"},
        {"plain", "plain"},
        {"", R"("")"},
        {"yes", R"("yes")"},
        {"n", R"("n")"},
        {"1", R"("1")"},
        {"0777", R"("0777")"},
        {"1e3", R"("1e3")"},
        {"0.10", R"("0.10")"},
        {"null", R"("null")"},
        {"~", R"("~")"},
        {"2001-12-14", R"("2001-12-14")"},
        {"12:30", R"("12:30")"},
        {" a", R"(" a")"},
        {"a: b", R"("a: b")"},
        {"a #b", R"("a #b")"},
        {"- a", R"("- a")"},
        {"{{ x }}", R"("{{ x }}")"},
        {"say \"hi\"", R"(say "hi")"},
        {"\"\\", R"("\"\\")"},
        {"a\tb\r", R"("a\tb\r")"},
        {std::string_view("\0\x1f\x7f", 3), R"("\x00\x1f\x7f")"},
        {"\xc2\x85\xe2\x80\xa8\xef\xbb\xbf", R"("\x85\u2028\ufeff")"},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"bad \xff", "\"bad \xef\xbf\xbd\""},  // not UTF-8: U+FFFD stands in
    });
    for (const Row& row : rows) {
      CAPTURE(row.text);
      CHECK(write_yaml(row.value) == std::string(row.text) + "\n");
    }
  }

  TEST_CASE("text of several lines is a literal block where that keeps it to the letter") {
    const auto written = [](std::string_view text) {
      Node node = Node::mapping();
      node.set("a", text);
      return write_yaml(node);
    };
    CHECK(written("one\n\n  two\n") == "a: |\n  one\n\n    two\n");
    CHECK(written("one\ntwo") == "a: |-\n  one\n  two\n");
    CHECK(written("one\ntwo\n\n") == "a: \"one\\ntwo\\n\\n\"\n");
    CHECK(written(" one\ntwo\n") == "a: \" one\\ntwo\\n\"\n");
    CHECK(written("one \ntwo\n") == "a: \"one \\ntwo\\n\"\n");
    CHECK(written("\none\n") == "a: \"\\none\\n\"\n");
    CHECK(written("\n") == "a: \"\\n\"\n");
    CHECK(written("a\tb\nc") == "a: \"a\\tb\\nc\"\n");
  }

  TEST_CASE("comments stand above a node, behind it, and below the document") {
    Node root = Node::mapping();
    root.comment_above("made by gpushape\n\nsecond part").comment_below("the end");
    root.set("a", 1).comment_above("the first").comment_behind("one");
    Node& list = root.set("list", Node::sequence());
    list.comment_behind("two\nlines");
    list.add("x").comment_above("above x");
    Node& item = list.add(Node::mapping());
    item.comment_behind("an item");
    item.set("k", "v");
    Node& other = list.add(Node::mapping());
    other.set("k", "v").comment_above("its first field");
    root.set("text", "one\ntwo\n").comment_behind("literal");
    root.set("empty", Node::mapping()).comment_behind("nothing");
    const std::string text = write_yaml(root);
    CHECK(text ==
          "# made by gpushape\n"
          "#\n"
          "# second part\n"
          "# the first\n"
          "a: 1 # one\n"
          "list: # two lines\n"
          "# above x\n"
          "- x\n"
          "- # an item\n"
          "  k: v\n"
          "-\n"
          "  # its first field\n"
          "  k: v\n"
          "text: | # literal\n"
          "  one\n"
          "  two\n"
          "empty: {} # nothing\n"
          "# the end\n");
    const auto back = read_yaml(text, "back");
    REQUIRE(back.has_value());
    CHECK(back->front().root == root);
  }

  TEST_CASE("documents are joined by three dashes") {
    Node first = Node::mapping();
    first.set("a", 1);
    CHECK(write_yaml(std::vector<Node>{first, Node("b")}) == "a: 1\n---\nb\n");
    CHECK(write_yaml(std::vector<Node>{}).empty());
  }

  TEST_CASE("JSON is written with two spaces, and what it cannot say is our fault") {
    Node root = Node::mapping();
    root.set("a", Node::sequence()).add(1);
    root.entries()[0].value.add(0.5);
    root.set("b", Node::mapping());
    root.set("c", Node::sequence());
    root.set("d\"\\\n", "\x01\t\xff").comment_behind("left out");
    CHECK(write_json(root) ==
          "{\n"
          "  \"a\": [\n"
          "    1,\n"
          "    0.5\n"
          "  ],\n"
          "  \"b\": {},\n"
          "  \"c\": [],\n"
          "  \"d\\\"\\\\\\n\": \"\\u0001\\t\xef\xbf\xbd\"\n"
          "}\n");
    CHECK(write_json(1e300) == "1.0e+300\n");
    CHECK_THROWS_AS(write_json(std::numeric_limits<double>::infinity()), std::logic_error);
  }
}
