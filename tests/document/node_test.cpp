#include "document/node.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

using namespace gpushape::document;

TEST_SUITE("document") {
  TEST_CASE("a node answers with nothing for what it is not, and refuses to be filled as such") {
    const Node text = "a";
    CHECK(text.items().empty());
    CHECK(text.entries().empty());
    CHECK(text.find("a") == nullptr);
    CHECK(text.integer() == 0);
    CHECK_FALSE(text.boolean());
    CHECK(Node(3).text().empty());
    CHECK(Node(3).number() == 3.0);
    Node number = 3;
    CHECK_THROWS_AS(number.add(1), std::logic_error);
    CHECK_THROWS_AS(number.set("a", 1), std::logic_error);
  }

  TEST_CASE("nodes are equal by value and order, wherever they stand") {
    Node a = Node::mapping();
    a.set("x", 1).comment_behind("behind");
    a.set("y", Node::sequence()).add(std::nan(""));
    Node b = a;
    b.set_position({3, 4, 5});
    CHECK(a == b);
    CHECK(b.find("x")->behind() == "behind");
    b.set("z", true);
    CHECK_FALSE(a == b);
    Node other_order = Node::mapping();
    other_order.set("y", Node::sequence()).add(std::nan(""));
    other_order.set("x", 1);
    CHECK_FALSE(a == other_order);
    CHECK_FALSE(Node(1) == Node(1.0));
  }

  TEST_CASE("a node may be replaced by its own child") {
    Node node = Node::sequence();
    node.add(Node::sequence()).add("leaf");
    node = node.items().front();
    REQUIRE(node.items().size() == 1);
    CHECK(node.items().front().text() == "leaf");
    const Node& self = node;
    node = self;
    CHECK(node.items().front().text() == "leaf");
  }

  TEST_CASE("a source gives the line of a place, and a window into a long one") {
    const Source source{
        .file = "f",
        .text = "one\r\ntwo\n" + std::string(1000, 'x') + "HERE" + std::string(1000, 'y')};
    CHECK(source.line(1) == "one");
    CHECK(source.line(2) == "two");
    CHECK(source.line(0).empty());
    CHECK(source.line(9).empty());
    const auto diagnostic = source.diagnostic({3, 1001, 4}, "message");
    CHECK(diagnostic.excerpt.size() <= 160);
    // The place is still found in the window.
    const auto index = static_cast<std::size_t>(diagnostic.span.column - diagnostic.excerpt_column);
    CHECK(diagnostic.excerpt.substr(index, 4) == "HERE");
    CHECK(diagnostic.span.column == 1001);
    CHECK(source.diagnostic({}, "message").excerpt.empty());
  }

  TEST_CASE("a window into a line cuts no character in two") {
    std::string text;
    for (int i = 0; i < 500; ++i) text += "\xe2\x82\xac";  // a euro sign, three bytes
    const Source source{.file = "f", .text = text};
    for (int column = 700; column < 710; ++column) {
      const std::string excerpt = source.diagnostic({1, column, 1}, "m").excerpt;
      CHECK(excerpt.size() % 3 == 0);
      CHECK(excerpt.starts_with("\xe2\x82\xac"));
    }
  }
}
