// Fields of Kubernetes objects, read leniently: an inventory takes what is there.
#pragma once

#include <string>
#include <string_view>

#include "document/node.hpp"
#include "inventory/seen.hpp"

namespace gpushape::inventory {

/// The node below a path of fields, "status.allocatable"; nullptr where there is none. A name that
/// itself holds dots is asked for with Node::find.
const document::Node* at(const document::Node& node, std::string_view path);
/// The text there; empty where there is none. Numbers and booleans are texts, too.
std::string text_at(const document::Node& node, std::string_view path);
std::string text_of(const document::Node* node);
/// A label or annotation of the object; empty where it has none.
std::string label_of(const document::Node& object, std::string_view name);
std::string annotation_of(const document::Node& object, std::string_view name);

}  // namespace gpushape::inventory
