// Document trees as they are written: `map({{"name", "gpu"}, {"count", 2}})`.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "emit/targets.hpp"

namespace gpushape::emit {

struct Field {
  std::string name;
  document::Node value;
};

inline document::Node map(std::initializer_list<Field> fields) {
  document::Node node = document::Node::mapping();
  for (const Field& field : fields) node.set(field.name, field.value);
  return node;
}

inline document::Node list(std::initializer_list<document::Node> items) {
  document::Node node = document::Node::sequence();
  for (const document::Node& item : items) node.add(item);
  return node;
}

inline document::Node list(const std::vector<std::string>& items) {
  document::Node node = document::Node::sequence();
  for (const std::string& item : items) node.add(item);
  return node;
}

/// Keys and values that are strings: labels, annotations, node selectors, quantities.
inline document::Node strings(const std::vector<Label>& rows) {
  document::Node node = document::Node::mapping();
  for (const Label& row : rows) node.set(row.key, row.value);
  return node;
}

/// The same mapping with the field set where `value` is not empty.
inline void set_if(document::Node& node, std::string_view name, document::Node value) {
  const bool is_empty = (value.is(document::Node::Kind::Mapping) && value.entries().empty()) ||
                        (value.is(document::Node::Kind::Sequence) && value.items().empty()) ||
                        (value.is(document::Node::Kind::String) && value.text().empty());
  if (!is_empty) node.set(std::string(name), std::move(value));
}

}  // namespace gpushape::emit
