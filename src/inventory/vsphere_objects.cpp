#include "inventory/vsphere_objects.hpp"

#include "inventory/kubernetes_fields.hpp"

namespace gpushape::inventory {

using document::Node;

namespace {

constexpr int kDeepest = 6;  // of lists and answers around the objects

bool is_same(std::string_view name, std::string_view wanted) {
  if (name.size() != wanted.size() || name.empty()) return false;
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return lower(name.front()) == lower(wanted.front()) && name.substr(1) == wanted.substr(1);
}

const Node* unwrapped(const Node* node) {
  if (node == nullptr || !node->is(Node::Kind::Mapping)) return node;
  const Node* const value = node->find("_value");
  if (value != nullptr) return value;
  // {"ArrayOfHostGraphicsInfo": […]} of older releases: {"HostGraphicsInfo": […]}.
  const auto& entries = node->entries();
  const bool is_wrapping = entries.size() == 1 && entries.front().value.is(Node::Kind::Sequence) &&
                           !entries.front().name.empty() && entries.front().name.front() >= 'A' &&
                           entries.front().name.front() <= 'Z';
  return is_wrapping ? &entries.front().value : node;
}

ManagedObject object_of(const Node& properties, const Node* reference) {
  ManagedObject object;
  object.type = text_of(field_of(reference, "type"));
  object.id = text_of(field_of(reference, "value"));
  for (const Node& property : properties.items()) {
    const Node* const value = field_of(&property, "val");
    if (value == nullptr) continue;
    object.properties.emplace_back(text_of(field_of(&property, "name")), value);
  }
  return object;
}

/// Without a reference, the names tell what the properties are of.
std::string guessed_type(const ManagedObject& object) {
  for (const auto& [name, value] : object.properties) {
    if (name.starts_with("hardware") || name.starts_with("config.graphics") ||
        name.starts_with("config.sharedPassthru") || name.starts_with("config.pciPassthru")) {
      return "HostSystem";
    }
    if (name.starts_with("config.hardware") || name.starts_with("runtime.powerState")) {
      return "VirtualMachine";
    }
  }
  return {};
}

void gather(const Node& node, int depth, std::vector<ManagedObject>& objects) {
  if (depth > kDeepest) return;
  if (node.is(Node::Kind::Sequence)) {
    const bool are_properties = !node.items().empty() &&
                                field_of(&node.items().front(), "val") != nullptr &&
                                field_of(&node.items().front(), "name") != nullptr;
    if (are_properties) {
      ManagedObject object = object_of(node, nullptr);
      object.type = guessed_type(object);
      objects.push_back(std::move(object));
      return;
    }
    for (const Node& item : node.items()) gather(item, depth + 1, objects);
    return;
  }
  if (!node.is(Node::Kind::Mapping)) return;
  const Node* const reference = field_of(&node, "obj");
  for (const std::string_view list : {"changeSet", "propSet"}) {
    const Node* const properties = field_of(&node, list);
    if (properties == nullptr) continue;
    objects.push_back(object_of(*properties, reference));
    return;
  }
  if (const Node* const self = field_of(&node, "self")) {
    objects.push_back({.type = text_of(field_of(self, "type")),
                       .id = text_of(field_of(self, "value")),
                       .node = &node,
                       .properties = {}});
    return;
  }
  for (const Node::Entry& entry : node.entries()) gather(entry.value, depth + 1, objects);
}

}  // namespace

const Node* field_of(const Node* node, std::string_view path) {
  node = unwrapped(node);
  while (node != nullptr && !path.empty()) {
    const std::size_t end = path.find('.');
    const std::string_view name = path.substr(0, end);
    const Node* next = nullptr;
    for (const Node::Entry& entry : node->entries()) {
      if (is_same(entry.name, name)) {
        next = &entry.value;
        break;
      }
    }
    node = unwrapped(next);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return node;
}

const Node* ManagedObject::get(std::string_view path) const {
  if (node != nullptr) return field_of(node, path);
  for (const auto& [name, value] : properties) {
    if (name == path) return unwrapped(value);
    if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
      if (const Node* const found = field_of(value, path.substr(name.size() + 1))) return found;
    }
  }
  return nullptr;
}

std::string ManagedObject::text(std::string_view path) const { return text_of(get(path)); }

std::int64_t ManagedObject::integer(std::string_view path) const {
  const Node* const found = get(path);
  if (found == nullptr || !found->is_number()) return 0;
  return found->is(Node::Kind::Integer) ? found->integer() : 0;
}

bool ManagedObject::is_true(std::string_view path) const {
  const Node* const found = get(path);
  return found != nullptr && found->boolean();
}

document::Position ManagedObject::position() const {
  if (node != nullptr) return node->position();
  return properties.empty() ? document::Position{} : properties.front().second->position();
}

std::vector<ManagedObject> managed_objects(const Node& root) {
  std::vector<ManagedObject> objects;
  gather(root, 0, objects);
  return objects;
}

}  // namespace gpushape::inventory
