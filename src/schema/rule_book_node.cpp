// The document form of the rule book: kind RuleBook.
#include "domain/rule_book.hpp"
#include "schema/fields.hpp"
#include "schema/header.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;

namespace {

Node number_node(const domain::RuleNumber& number) {
  Node node = Node::mapping();
  node.set("name", number.name);
  node.set("value", number.value);
  set_text(node, "unit", number.unit);
  node.set("meaning", number.meaning);
  node.set("origin", number.from.empty() ? std::string("default") : number.from);
  set_text(node, "source", number.source);
  return node;
}

Node numbers_node(const std::vector<domain::RuleNumber>& numbers) {
  Node list = Node::sequence();
  for (const domain::RuleNumber& number : numbers) list.add(number_node(number));
  return list;
}

Node rule_node(const domain::RuleEntry& rule) {
  Node node = Node::mapping();
  node.set("id", rule.id);
  node.set("group", rule.group);
  if (rule.is_off) {
    node.set("severity", "off");
  } else if (rule.severity) {
    node.set("severity", name_of(*rule.severity));
  }
  node.set("title", rule.title);
  set_text(node, "condition", rule.condition);
  node.set("outcome", rule.outcome);
  node.set("reason", rule.reason);
  node.set("source", rule.source);
  if (!rule.numbers.empty()) node.set("numbers", numbers_node(rule.numbers));
  set_text(node, "example", rule.example);
  return node;
}

}  // namespace

Node to_node(const domain::RuleBook& book) {
  Node node = new_document("RuleBook");
  Node groups = Node::sequence();
  for (const domain::RuleGroup& group : book.groups) {
    Node one = Node::mapping();
    one.set("name", group.name);
    one.set("title", group.title);
    groups.add(std::move(one));
  }
  node.set("groups", std::move(groups));
  Node rules = Node::sequence();
  for (const domain::RuleEntry& rule : book.rules) rules.add(rule_node(rule));
  node.set("rules", std::move(rules));
  if (!book.thresholds.empty()) node.set("thresholds", numbers_node(book.thresholds));
  if (!book.constants.empty()) node.set("constants", numbers_node(book.constants));
  return node;
}

}  // namespace gpushape::schema
