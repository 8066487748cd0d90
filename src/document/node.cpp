#include "document/node.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace gpushape::document {
namespace {

const std::string kNoText;
const std::vector<Node> kNoItems;
const std::vector<Node::Entry> kNoEntries;

}  // namespace

Node::Node() = default;
Node::Node(bool value) : value_(value) {}
Node::Node(int value) : value_(std::int64_t{value}) {}
Node::Node(std::int64_t value) : value_(value) {}
Node::Node(Bytes value) : value_(value.count()) {}
Node::Node(double value) : value_(value) {}
Node::Node(std::string value) : value_(std::move(value)) {}
Node::Node(std::string_view value) : value_(std::string(value)) {}
Node::Node(const char* value) : value_(std::string(value)) {}

Node Node::sequence() {
  Node node;
  node.value_.emplace<std::vector<Node>>();
  return node;
}

Node Node::mapping() {
  Node node;
  node.value_.emplace<std::vector<Entry>>();
  return node;
}

Node::Node(const Node& other)
    : value_(other.value_),
      position_(other.position_),
      quoted_(other.quoted_),
      is_in_flow_(other.is_in_flow_),
      comments_(other.comments_ ? std::make_unique<Comments>(*other.comments_) : nullptr) {}

Node& Node::operator=(const Node& other) {
  Node copy(other);  // first, because `other` may be a child of this node
  *this = std::move(copy);
  return *this;
}

Node::Node(Node&& other) noexcept = default;
Node& Node::operator=(Node&& other) noexcept = default;
Node::~Node() = default;

bool Node::boolean() const {
  const bool* value = std::get_if<bool>(&value_);
  return value != nullptr && *value;
}

std::int64_t Node::integer() const {
  const std::int64_t* value = std::get_if<std::int64_t>(&value_);
  return value != nullptr ? *value : 0;
}

double Node::number() const {
  const double* value = std::get_if<double>(&value_);
  return value != nullptr ? *value : static_cast<double>(integer());
}

const std::string& Node::text() const {
  const std::string* value = std::get_if<std::string>(&value_);
  return value != nullptr ? *value : kNoText;
}

const std::vector<Node>& Node::items() const {
  const auto* value = std::get_if<std::vector<Node>>(&value_);
  return value != nullptr ? *value : kNoItems;
}

const std::vector<Node::Entry>& Node::entries() const {
  const auto* value = std::get_if<std::vector<Entry>>(&value_);
  return value != nullptr ? *value : kNoEntries;
}

std::vector<Node>& Node::items() {
  auto* value = std::get_if<std::vector<Node>>(&value_);
  if (value == nullptr) throw std::logic_error("this node is no sequence");
  return *value;
}

std::vector<Node::Entry>& Node::entries() {
  auto* value = std::get_if<std::vector<Entry>>(&value_);
  if (value == nullptr) throw std::logic_error("this node is no mapping");
  return *value;
}

const Node* Node::find(std::string_view name) const {
  for (const Entry& entry : entries()) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

Node& Node::add(Node item) { return items().emplace_back(std::move(item)); }

Node& Node::set(std::string name, Node value) {
  return entries().emplace_back(Entry{std::move(name), {}, std::move(value)}).value;
}

Node::Comments& Node::comments() {
  if (!comments_) comments_ = std::make_unique<Comments>();
  return *comments_;
}

Node& Node::in_flow() {
  is_in_flow_ = true;
  return *this;
}

Node& Node::comment_above(std::string text) {
  comments().above = std::move(text);
  return *this;
}

Node& Node::comment_behind(std::string text) {
  comments().behind = std::move(text);
  return *this;
}

Node& Node::comment_below(std::string text) {
  comments().below = std::move(text);
  return *this;
}

const std::string& Node::above() const { return comments_ ? comments_->above : kNoText; }
const std::string& Node::behind() const { return comments_ ? comments_->behind : kNoText; }

const std::string& Node::below() const { return comments_ ? comments_->below : kNoText; }

bool Node::operator==(const Node& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::Null:
      return true;
    case Kind::Boolean:
      return boolean() == other.boolean();
    case Kind::Integer:
      return integer() == other.integer();
    case Kind::Number:
      return number() == other.number() || (std::isnan(number()) && std::isnan(other.number()));
    case Kind::String:
      return text() == other.text();
    case Kind::Sequence:
      return items() == other.items();
    case Kind::Mapping:
      return std::ranges::equal(entries(), other.entries(), [](const Entry& a, const Entry& b) {
        return a.name == b.name && a.value == b.value;
      });
  }
  return false;
}

}  // namespace gpushape::document
