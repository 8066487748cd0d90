#include "document/tree_builder.hpp"

#include <iterator>
#include <utility>

namespace gpushape::document {
namespace {

// The last elements of `stack`, from `first` on, in a vector of their own.
template <class T>
void move_tail(std::vector<T>& stack, std::size_t first, std::vector<T>& into) {
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(first);
  into.assign(std::make_move_iterator(begin), std::make_move_iterator(stack.end()));
  stack.erase(begin, stack.end());
}

}  // namespace

void TreeBuilder::open(Node::Kind kind, Position position) {
  require_depth(1, position);
  const std::size_t first = kind == Node::Kind::Sequence ? items_.size() : entries_.size();
  frames_.push_back({kind, position, first, {}, {}});
}

void TreeBuilder::key(std::string name, Position position) {
  frames_.back().name = std::move(name);
  frames_.back().name_position = position;
}

void TreeBuilder::add(Node node) {
  count(1, node.position());
  if (frames_.empty()) {
    root_ = std::move(node);
  } else if (Frame& frame = frames_.back(); frame.kind == Node::Kind::Sequence) {
    items_.push_back(std::move(node));
  } else {
    entries_.push_back({std::move(frame.name), frame.name_position, std::move(node)});
    frame.name.clear();
  }
}

Node TreeBuilder::close() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Node node = frame.kind == Node::Kind::Sequence ? Node::sequence() : Node::mapping();
  node.set_position(frame.position);
  if (frame.kind == Node::Kind::Sequence) {
    move_tail(items_, frame.first, node.items());
  } else {
    move_tail(entries_, frame.first, node.entries());
  }
  return node;
}

Node TreeBuilder::take_root() { return std::exchange(root_, Node()); }

void TreeBuilder::fail(Position position, std::string message, std::string help) const {
  throw Fault{source_->diagnostic(position, std::move(message), std::move(help))};
}

void TreeBuilder::count(std::size_t nodes, Position position) {
  nodes_ += nodes;
  if (nodes_ > limits_.nodes) {
    fail(position, "more than " + std::to_string(limits_.nodes) + " values in one file");
  }
}

void TreeBuilder::require_depth(int height, Position position) const {
  if (depth() + height > limits_.depth) {
    fail(position, "nested deeper than " + std::to_string(limits_.depth) + " levels");
  }
}

}  // namespace gpushape::document
