// XML text as a tree of elements, each with its place in the text. Any bytes are allowed as input,
// as for the other readers: depth, size and number of elements are bounded, a document type is
// passed over unread, and entities are neither declared nor fetched.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "document/text_format.hpp"

namespace gpushape::document {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< its own, without the blanks around it
  std::vector<XmlElement> children;
  Position position;

  /// The first child of that name; nullptr where there is none.
  [[nodiscard]] const XmlElement* find(std::string_view child) const;
  /// The text below a path of first children, "pci/pci_bus_id"; empty where there is none.
  [[nodiscard]] const std::string& text_at(std::string_view path) const;
  /// Empty where there is no such attribute.
  [[nodiscard]] const std::string& attribute(std::string_view wanted) const;
};

struct XmlDocument {
  XmlElement root;
  std::shared_ptr<const Source> source;
};

Result<XmlDocument> read_xml(std::string_view text, std::string file, const Limits& limits = {});

}  // namespace gpushape::document
