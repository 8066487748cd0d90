// What a writer prints, its reader reads back: for any tree at all.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "document/pack.hpp"
#include "document/text_format.hpp"

using namespace gpushape::document;

namespace {

// Words and letters that YAML gives a meaning to, among others.
rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::element<std::string>(
      "a", "Z", "7", "0", "x", "e", ".", "-", "+", "_", ":", ": ", " #", "#", " ", "  ", "\n", "\t",
      "\r", "'", "\"", "\\", "[", "]", "{", "}", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?",
      "- ", "---", "...", "<<", "=", "~", "yes", "no", "null", "true", ".inf", "0x", "0o", "1e3",
      "\x01", "\x7f", "\xc2\x85", "\xc3\xa9", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xf0\x9f\x98\x80");
  return rc::gen::map(rc::gen::scale(0.2, rc::gen::container<std::vector<std::string>>(piece)),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& part : pieces) text += part;
                        return text;
                      });
}

rc::Gen<Node> any_scalar(bool may_be_infinite) {
  auto number = rc::gen::map(rc::gen::arbitrary<double>(), [may_be_infinite](double value) {
    return Node(std::isfinite(value) || may_be_infinite ? value : 0.5);
  });
  return rc::gen::oneOf(
      rc::gen::just(Node()),
      rc::gen::map(rc::gen::arbitrary<bool>(), [](bool v) { return Node(v); }),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t v) { return Node(v); }),
      std::move(number),
      rc::gen::map(any_text(), [](std::string v) { return Node(std::move(v)); }));
}

rc::Gen<Node> any_node(int depth, bool may_be_infinite) {
  if (depth == 0) return any_scalar(may_be_infinite);
  const auto children = rc::gen::scale(
      0.3, rc::gen::container<std::vector<Node>>(any_node(depth - 1, may_be_infinite)));
  auto sequence = rc::gen::map(children, [](std::vector<Node> items) {
    Node node = Node::sequence();
    node.items() = std::move(items);
    return node;
  });
  auto mapping = rc::gen::map(
      rc::gen::pair(children, rc::gen::container<std::vector<std::string>>(20, any_text())),
      [](std::pair<std::vector<Node>, std::vector<std::string>> parts) {
        Node node = Node::mapping();
        for (std::size_t i = 0; i < parts.first.size(); ++i) {
          node.set(i < parts.second.size() ? parts.second[i] : "name", parts.first[i]);
        }
        return node;
      });
  return rc::gen::oneOf(any_scalar(may_be_infinite), std::move(sequence), std::move(mapping));
}

rc::Gen<Node> with_comments(rc::Gen<Node> nodes) {
  return rc::gen::map(rc::gen::tuple(std::move(nodes), any_text(), any_text(), any_text()),
                      [](std::tuple<Node, std::string, std::string, std::string> parts) {
                        auto& [node, above, behind, below] = parts;
                        if (above.size() % 2 == 1) node.in_flow();
                        node.comment_above(above).comment_behind(behind).comment_below(below);
                        return node;
                      });
}

}  // namespace

TEST_SUITE("document") {
  TEST_CASE("what is written as YAML reads back the same") {
    CHECK(rc::check("YAML", [] {
      const Node node = *any_node(3, true);
      const std::string text = write_yaml(node);
      const auto back = read_yaml(text, "back");
      RC_LOG() << text;
      RC_ASSERT(back.has_value());
      RC_ASSERT(back->size() == 1U);
      RC_ASSERT(back->front().root == node);
    }));
  }

  TEST_CASE("comments never change what a document says") {
    CHECK(rc::check("comments", [] {
      Node node = Node::mapping();
      node.set("a", *with_comments(any_node(2, true)));
      node.set("b", Node::sequence()).add(*with_comments(any_node(2, true)));
      const Node root = *with_comments(rc::gen::just(node));
      const std::string text = write_yaml(root);
      const auto back = read_yaml(text, "back");
      RC_LOG() << text;
      RC_ASSERT(back.has_value());
      RC_ASSERT(back->front().root == root);
    }));
  }

  TEST_CASE("several documents read back as several") {
    CHECK(rc::check("documents", [] {
      const auto nodes = *rc::gen::nonEmpty(
          rc::gen::scale(0.3, rc::gen::container<std::vector<Node>>(any_node(2, true))));
      const std::string text = write_yaml(nodes);
      const auto back = read_yaml(text, "back");
      RC_LOG() << text;
      RC_ASSERT(back.has_value());
      RC_ASSERT(back->size() == nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i) RC_ASSERT((*back)[i].root == nodes[i]);
    }));
  }

  TEST_CASE("what is written as JSON reads back the same") {
    CHECK(rc::check("JSON", [] {
      const Node node = *any_node(3, false);
      const std::string text = write_json(node);
      const auto back = read_json(text, "back");
      RC_LOG() << text;
      RC_ASSERT(back.has_value());
      RC_ASSERT(back->root == node);
    }));
  }

  TEST_CASE("what is packed unpacks the same") {
    CHECK(rc::check("pack", [] {
      const Node node = *any_node(3, true);
      RC_ASSERT(unpack(pack(node)) == node);
    }));
  }

  TEST_CASE("a very long field name reads back the same") {
    for (const Node& value : {Node(1), Node::sequence(), Node("one\ntwo\n")}) {
      for (const std::string& name : {std::string(5000, 'x'), std::string(5000, '"')}) {
        Node inner = Node::mapping();
        inner.set(name, value);
        Node list = Node::sequence();
        list.add(inner);
        list.add(value);
        Node root = Node::mapping();
        root.set(name, list);
        root.set("next", inner);
        const auto back = read_yaml(write_yaml(root), "back");
        REQUIRE_MESSAGE(back.has_value(), to_text(back.error()));
        CHECK(back->front().root == root);
      }
    }
  }
}
