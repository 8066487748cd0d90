// Managed objects of vSphere out of the JSON forms that govc and the API print: lists of objects
// with `self`, change sets and property sets with dotted names; values that stand in
// `{"_typeName": "ArrayOf…", "_value": […]}`. Older releases write names with a capital.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/node.hpp"

namespace gpushape::inventory {

/// A field by name, the letter case of its first letter aside, without the wrapping around its
/// value; nullptr where there is none.
const document::Node* field_of(const document::Node* node, std::string_view path);

struct ManagedObject {
  std::string type;                      ///< "HostSystem"; empty where the form does not tell
  std::string id;                        ///< "host-21"
  const document::Node* node = nullptr;  ///< the object itself, or null:
  std::vector<std::pair<std::string, const document::Node*>> properties;

  /// A property by its dotted name, however deep it was asked for.
  [[nodiscard]] const document::Node* get(std::string_view path) const;
  [[nodiscard]] std::string text(std::string_view path) const;
  [[nodiscard]] std::int64_t integer(std::string_view path) const;  ///< 0 where there is none
  [[nodiscard]] bool is_true(std::string_view path) const;
  [[nodiscard]] document::Position position() const;
};

/// The objects of a document, in its order.
std::vector<ManagedObject> managed_objects(const document::Node& root);

}  // namespace gpushape::inventory
