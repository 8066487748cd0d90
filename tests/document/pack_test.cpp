#include "document/pack.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "document/text_format.hpp"

using namespace gpushape::document;

namespace {

void check_same_places(const Node& a, const Node& b) {
  CHECK(a.position() == b.position());
  CHECK(a.quoted() == b.quoted());
  REQUIRE(a.items().size() == b.items().size());
  for (std::size_t i = 0; i < a.items().size(); ++i) check_same_places(a.items()[i], b.items()[i]);
  REQUIRE(a.entries().size() == b.entries().size());
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    CHECK(a.entries()[i].position == b.entries()[i].position);
    check_same_places(a.entries()[i].value, b.entries()[i].value);
  }
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("a packed tree keeps values, quotes and places") {
    const auto document =
        read_yaml("id: a\nbase: &b {x: \"1\", y: [0.1, -5, null, true]}\nagain: *b\nlong: " +
                      std::string(3000, 'x') + "\nleast: -9223372036854775808\n",
                  "f");
    REQUIRE(document.has_value());
    const Node& root = document->front().root;
    const Node back = unpack(pack(root));
    CHECK(back == root);
    check_same_places(back, root);
  }

  TEST_CASE("an unpacked file speaks of its path") {
    const std::string packed = pack(Node("x"));
    const Document document =
        unpack(PackedFile{.path = "nvidia/l4.yaml", .id = "l4", .aliases = {}, .packed = packed});
    CHECK(document.root.text() == "x");
    CHECK(document.source->file == "nvidia/l4.yaml");
    CHECK(document.source->diagnostic({3, 1, 1}, "m").span.line == 3);
  }

  TEST_CASE("packed bytes that are cut or changed throw and never reach beyond their end") {
    Node node = Node::mapping();
    node.set("text", std::string(50, 'x'));
    node.set("list", Node::sequence()).add(1.5);
    const std::string packed = pack(node);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      CHECK_THROWS_AS(unpack(std::string_view(packed).substr(0, size)), std::logic_error);
    }
    CHECK_THROWS_AS(unpack(packed + "x"), std::logic_error);
    CHECK_THROWS_AS(unpack("\x05\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                    std::logic_error);
  }
}
