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
#include <variant>
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

  Node();
  Node(bool value);
  Node(int value);
  Node(std::int64_t value);
  Node(Bytes value);
  Node(double value);
  Node(std::string value);
  Node(std::string_view value);
  Node(const char* value);
  static Node sequence();
  static Node mapping();

  Node(const Node& other);
  Node(Node&& other) noexcept;
  Node& operator=(const Node& other);
  Node& operator=(Node&& other) noexcept;
  ~Node();

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(value_.index()); }
  [[nodiscard]] bool is(Kind wanted) const { return kind() == wanted; }
  [[nodiscard]] bool is_number() const { return is(Kind::Integer) || is(Kind::Number); }
  // A node of another kind answers with false, 0, "" or no children.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;
  /// Of an Integer or a Number.
  [[nodiscard]] double number() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const std::vector<Node>& items() const;
  [[nodiscard]] const std::vector<Entry>& entries() const;
  // To write to; a node of another kind throws std::logic_error.
  [[nodiscard]] std::vector<Node>& items();
  [[nodiscard]] std::vector<Entry>& entries();
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
  Node& comment_below(std::string text);
  /// YAML only: printed in one line, "{a: 1, b: [2, 3]}", where the line stays within 100 columns.
  /// Comments inside are left out.
  Node& in_flow();
  [[nodiscard]] bool is_in_flow() const { return is_in_flow_; }
  [[nodiscard]] const std::string& above() const;
  [[nodiscard]] const std::string& behind() const;
  [[nodiscard]] const std::string& below() const;

  [[nodiscard]] Position position() const { return position_; }
  void set_position(Position position) { position_ = position; }
  /// A YAML scalar that stood in quotes, and is therefore a string whatever it looks like.
  [[nodiscard]] bool quoted() const { return quoted_; }
  void set_quoted(bool quoted) { quoted_ = quoted; }

  /// Equal values in equal order; places and comments do not count, and NaN equals itself.
  bool operator==(const Node& other) const;

 private:
  struct Comments {
    std::string above;
    std::string behind;
    std::string below;
  };
  Comments& comments();

  // In the order of Kind.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Node>,
               std::vector<Entry>>
      value_;
  Position position_;
  bool quoted_ = false;
  bool is_in_flow_ = false;
  std::unique_ptr<Comments> comments_;  // few nodes have one
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
  /// Where every so many lines begin (line_marks), for places far behind; empty: they are counted.
  std::vector<std::size_t> marks = {};

  /// The span of a node, and the line it stands on.
  [[nodiscard]] SourceSpan span(Position position) const;
  [[nodiscard]] std::string line(int number) const;
  [[nodiscard]] Diagnostic diagnostic(Position position, std::string message, std::string help = {},
                                      std::string label = {}) const;
};

/// The offsets of the first line and of every 128th behind it.
std::vector<std::size_t> line_marks(std::string_view text);

struct Document {
  Node root;
  std::shared_ptr<const Source> source;
};

}  // namespace gpushape::document
