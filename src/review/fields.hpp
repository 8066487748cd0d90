// Values of a manifest together with the node they stand on, and how they are taken from a tree.
//
// Reading is lenient: what is absent or of another kind is not there. Complaining is the business
// of rules, which find the node again by Node::find.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"

namespace gpushape::review {

/// A value and where it stands. `node` is nullptr only in a default-made one.
template <class T>
struct Located {
  T value{};
  const document::Node* node = nullptr;
};

/// One word of a command line. Its place is the word's own where it stands within a longer text.
struct Word {
  std::string text;
  document::Position position;
  bool is_field = false;  ///< a field of a chart or a serving kind, in the engine's spelling
};

/// The words of one program's start.
using Command = std::vector<Word>;

/// A label, an annotation, a node selector.
struct NamedText {
  std::string name;
  std::string value;
  const document::Node* node = nullptr;  ///< of the value
  document::Position name_position;
};

using Path = std::initializer_list<std::string_view>;

/// The node below a path of fields; nullptr where there is none.
const document::Node* at(const document::Node& root, Path path);
const document::Node* at(const document::Node* root, Path path);
std::optional<Located<std::int64_t>> integer_at(const document::Node& root, Path path);
/// A Kubernetes quantity in its base unit, or a number.
std::optional<Located<double>> quantity_at(const document::Node& root, Path path);
std::optional<Located<std::string>> text_at(const document::Node& root, Path path);
std::optional<Located<bool>> flag_at(const document::Node& root, Path path);
/// The text there, also of a number or a boolean; empty where there is none.
std::string word_at(const document::Node& root, Path path);
/// The text of a scalar; empty for anything else.
std::string word_of(const document::Node& node);
bool is_set(const document::Node& root, Path path);
/// The objects of a List, or of OpenShift's Template; nullptr of anything else.
const document::Node* listed_objects(const document::Node& root);
/// The entries of a mapping whose values are scalars.
std::vector<NamedText> named_texts(const document::Node* mapping);
const NamedText* find_name(const std::vector<NamedText>& rows, std::string_view name);

}  // namespace gpushape::review
