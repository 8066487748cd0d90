#include "schema/fields.hpp"

#include "document/kind_header.hpp"
#include "schema/kinds.hpp"

namespace gpushape::schema {

using document::Node;

Node new_document(std::string_view kind) {
  return document::document_with({.api_version = kApiVersion, .kind = kind});
}

Node review_node(std::int64_t days, const std::string& date) {
  Node node = Node::mapping();
  node.set("days", days);
  if (!date.empty()) node.set("date", date);
  return node;
}

Node to_node(const domain::Range& range) {
  Node node = Node::mapping();
  node.set("low", range.low);
  node.set("expected", range.expected);
  node.set("high", range.high);
  return node;
}

document::Node texts_node(const std::vector<std::string>& texts) {
  document::Node node = document::Node::sequence();
  for (const std::string& text : texts) node.add(text);
  return node;
}

}  // namespace gpushape::schema
