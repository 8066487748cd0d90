// Makes one tree from a run of values and brackets, without recursion. Both readers drive it.
//
// Children wait on a shared stack until their parent closes and are then moved into vectors of the
// exact size, so a large document takes no more memory than its tree and its widest level.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "document/node.hpp"
#include "document/text_format.hpp"

namespace gpushape::document {

/// What ends a reading; thrown and caught within one reader.
struct Fault {
  Diagnostic diagnostic;
};

class TreeBuilder {
 public:
  TreeBuilder(const Source& source, const Limits& limits) : source_(&source), limits_(limits) {}

  /// `kind` is Sequence or Mapping. Throws Fault beyond the depth limit.
  void open(Node::Kind kind, Position position);
  /// Names the value that comes next in the open mapping.
  void key(std::string name, Position position);
  /// A scalar or a finished tree, into what is open. Throws Fault beyond the node limit.
  void add(Node node);
  /// The finished innermost collection, which is the caller's to add().
  Node close();

  [[nodiscard]] int depth() const { return static_cast<int>(frames_.size()); }
  [[nodiscard]] bool is_open() const { return !frames_.empty(); }
  [[nodiscard]] Node::Kind open_kind() const { return frames_.back().kind; }
  [[nodiscard]] Position open_position() const { return frames_.back().position; }
  /// The tree, once everything is closed; the builder is then ready for the next.
  Node take_root();

  [[noreturn]] void fail(Position position, std::string message, std::string help = {}) const;
  /// Counts nodes that did not come through add().
  void count(std::size_t nodes, Position position);
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// Throws Fault where a tree of that height would stand too deep.
  void require_depth(int height, Position position) const;

 private:
  struct Frame {
    Node::Kind kind;
    Position position;
    std::size_t first;  // of its children on their stack
    std::string name;
    Position name_position;
  };

  const Source* source_;
  Limits limits_;
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::vector<Node> items_;
  std::vector<Node::Entry> entries_;
  Node root_;
};

}  // namespace gpushape::document
