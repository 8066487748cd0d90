#include "emit/difference.hpp"

#include <doctest/doctest.h>

#include "document/text_format.hpp"

using namespace gpushape;

namespace {

std::vector<document::Node> read(const char* text) {
  const auto documents = document::read_yaml(text, "test.yaml");
  REQUIRE(documents);
  std::vector<document::Node> roots;
  for (const document::Document& document : *documents) roots.push_back(document.root);
  return roots;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("documents of one kind and name are compared field by field") {
    const auto before = read(
        "kind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1, paused: true}\n---\n"
        "kind: Queue\nmetadata: {name: q}\n");
    const auto after =
        read("kind: Deployment\nmetadata: {name: a}\nspec: {replicas: 2, minReadySeconds: 5}\n");
    const std::vector<std::string> expected = {
        "Deployment/a: spec.replicas: 1 -> 2", "Deployment/a: spec.paused: - true",
        "Deployment/a: spec.minReadySeconds: + 5", "- Queue/q"};
    CHECK(emit::differences(before, after) == expected);
    CHECK(emit::differences(after, after).empty());
  }

  TEST_CASE("rows that have names are paired by them, others by place") {
    const auto before = read(
        "kind: Pod\nspec:\n  env: [{name: A, value: x}, {name: B, value: old}]\n"
        "  args: [one, two]\n");
    const auto after = read(
        "kind: Pod\nspec:\n  env: [{name: B, value: new}, {name: A, value: x}]\n"
        "  args: [one]\n");
    const std::vector<std::string> expected = {"Pod: spec.env[B].value: old -> new",
                                               "Pod: spec.args[1]: - two"};
    CHECK(emit::differences(before, after) == expected);
  }

  TEST_CASE("the order of fields does not count") {
    CHECK(emit::differences(read("kind: Pod\na: 1\nb: 2\n"), read("b: 2\na: 1\nkind: Pod\n"))
              .empty());
  }
}
