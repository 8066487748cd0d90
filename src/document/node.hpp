// One tree for YAML and JSON: what a document says, in order, each node with its place in the text.
//
// Readers make it, writers print it. Mappings keep the order of their entries and keep duplicate
// keys (Reader complains of them). Numbers keep the kind they were written with: 1 is an
// Integer, 1.0 a Number; an integer that does not fit 64 bits is a Number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace gpushape::document {

/// Line and column from 1 (columns in bytes); line 0 for a node that no text stands behind.
struct Position {
  int line = 0;
  int column = 0;
  int length = 1;

  bool operator==(const Position&) const = default;
};

class Node {
 public:
  enum class Kind { Null, Boolean, Integer, Number, String, Sequence, Mapping };
  struct Entry;

  Node() = default;
  Node(bool value) : kind_(Kind::Boolean), boolean_(value) {}
  Node(int value) : kind_(Kind::Integer), integer_(value) {}
  Node(std::int64_t value) : kind_(Kind::Integer), integer_(value) {}
  Node(Bytes value) : Node(value.count()) {}
  Node(double value) : kind_(Kind::Number), number_(value) {}
  Node(std::string value) : kind_(Kind::String), text_(std::move(value)) {}
  Node(std::string_view value) : Node(std::string(value)) {}
  Node(const char* value) : Node(std::string(value)) {}
  static Node sequence() { return of(Kind::Sequence); }
  static Node mapping() { return of(Kind::Mapping); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  [[nodiscard]] bool is_number() const { return kind_ == Kind::Integer || kind_ == Kind::Number; }
  [[nodiscard]] bool boolean() const { return boolean_; }
  [[nodiscard]] std::int64_t integer() const { return integer_; }
  /// Of an Integer or a Number.
  [[nodiscard]] double number() const {
    return kind_ == Kind::Integer ? static_cast<double>(integer_) : number_;
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Node>& items() const { return items_; }
  [[nodiscard]] std::vector<Node>& items() { return items_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }
  /// The value of the first entry of that name; nullptr where there is none or this is no mapping.
  [[nodiscard]] const Node* find(std::string_view name) const;

  /// Appends to a sequence; returns the appended node.
  Node& add(Node item);
  /// Appends to a mapping; returns the value.
  Node& set(std::string name, Node value);

  /// YAML only: printed above the node (`above`) or behind it on its line. JSON has no comments and
  /// leaves them out.
  Node& comment_above(std::string text);
  Node& comment_behind(std::string text);
  /// Printed after the last line of a document; of its root alone.
  Node& comment_below(std::string text) {
    below_ = std::move(text);
    return *this;
  }
  [[nodiscard]] const std::string& above() const { return above_; }
  [[nodiscard]] const std::string& behind() const { return behind_; }
  [[nodiscard]] const std::string& below() const { return below_; }

  [[nodiscard]] Position position() const { return position_; }
  void set_position(Position position) { position_ = position; }
  /// A YAML scalar that stood in quotes, and is therefore a string whatever it looks like.
  [[nodiscard]] bool quoted() const { return quoted_; }
  void set_quoted(bool quoted) { quoted_ = quoted; }

  /// Equal values in equal order; places and comments do not count.
  bool operator==(const Node& other) const;

 private:
  static Node of(Kind kind) {
    Node node;
    node.kind_ = kind;
    return node;
  }

  Kind kind_ = Kind::Null;
  bool boolean_ = false;
  bool quoted_ = false;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<Node> items_;
  std::vector<Entry> entries_;
  Position position_;
  std::string above_;
  std::string behind_;
  std::string below_;
};

struct Node::Entry {
  std::string name;
  Position position;  ///< of the key
  Node value;
};

/// The text a tree was read from; kept for excerpts. Data that was compiled into the program has a
/// name and no text.
struct Source {
  std::string file;
  std::string text;

  /// The span of a node, and the line it stands on.
  [[nodiscard]] SourceSpan span(Position position) const;
  [[nodiscard]] std::string line(int number) const;
  [[nodiscard]] Diagnostic diagnostic(Position position, std::string message, std::string help = {},
                                      std::string label = {}) const;
};

struct Document {
  Node root;
  std::shared_ptr<const Source> source;
};

}  // namespace gpushape::document
