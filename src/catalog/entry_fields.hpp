// Fields of a catalog entry, listed once for both directions: what a FieldReader takes from a
// document, a FieldWriter puts into one.
//
// Both work against a base: a field that is absent keeps the base's value, and only what differs
// from the base is written. So a layer type of an entry says how it differs from the entry's common
// facts, and writing and reading are each other's inverse.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/limits.hpp"
#include "document/reader.hpp"
#include "domain/layer.hpp"

namespace gpushape::catalog {

/// The mapping that holds a field, or null where none does.
using Holder = std::function<document::Reader*(std::string_view)>;

inline Holder holder_of(document::Reader& reader) {
  return [&reader](std::string_view name) { return reader.has(name) ? &reader : nullptr; };
}

/// Sizes of which 0 says that there is none.
constexpr document::IntegerBounds up_to(document::IntegerBounds bounds) {
  return {.least = 0, .most = bounds.most};
}

/// The word for an optional part that the base has and this does not.
inline constexpr std::string_view kNoPart = "none";

std::vector<domain::ExtraTensor> read_tensors(document::Reader& reader, std::string_view field);
document::Node tensor_list(const std::vector<domain::ExtraTensor>& tensors);

template <class T>
class FieldReader {
 public:
  /// `value` starts as the base.
  FieldReader(Holder holder, T& value) : holder_(std::move(holder)), value_(&value), base_(value) {}

  void integer(std::string_view name, std::int64_t T::* member, document::IntegerBounds bounds) {
    if (document::Reader* reader = holder_(name))
      value_->*member = reader->integer(name, bounds).value_or(bounds.least);
  }
  void integer(std::string_view name, int T::* member, document::IntegerBounds bounds) {
    if (document::Reader* reader = holder_(name))
      value_->*member = static_cast<int>(reader->integer(name, bounds).value_or(bounds.least));
  }
  /// Follows another field unless it is named: the width of values is that of keys.
  void integer_like(std::string_view name, std::int64_t T::* member, std::int64_t T::* leader,
                    document::IntegerBounds bounds) {
    if (value_->*leader != base_.*leader) value_->*member = value_->*leader;
    integer(name, member, bounds);
  }
  void number(std::string_view name, double T::* member, document::NumberBounds bounds) {
    if (document::Reader* reader = holder_(name))
      value_->*member = reader->number(name, bounds).value_or(bounds.least);
  }
  void boolean(std::string_view name, bool T::* member) {
    if (document::Reader* reader = holder_(name))
      value_->*member = reader->boolean(name).value_or(false);
  }
  void text(std::string_view name, std::string T::* member) {
    if (document::Reader* reader = holder_(name)) value_->*member = reader->text(name).value_or("");
  }
  void texts(std::string_view name, std::vector<std::string> T::* member) {
    if (document::Reader* reader = holder_(name)) value_->*member = reader->texts(name);
  }
  template <class E>
  void choice(std::string_view name, E T::* member) {
    if (document::Reader* reader = holder_(name))
      value_->*member = reader->choice<E>(name).value_or(value_->*member);
  }
  void tensors(std::string_view name, std::vector<domain::ExtraTensor> T::* member) {
    if (document::Reader* reader = holder_(name)) value_->*member = read_tensors(*reader, name);
  }
  /// A part with fields of its own, which `visit` lists.
  template <class Part, class Visit>
  void part(std::string_view name, std::optional<Part> T::* member, Visit visit) {
    document::Reader* reader = holder_(name);
    if (reader == nullptr) return;
    const document::Node* node = reader->node(name);
    if (node->is(document::Node::Kind::String) && node->text() == kNoPart) {
      (value_->*member).reset();
      return;
    }
    std::optional<document::Reader> inside = reader->mapping(name);
    if (!inside) return;
    if (!(value_->*member)) (value_->*member).emplace();
    FieldReader<Part> fields(holder_of(*inside), *(value_->*member));
    visit(fields);
    inside->finish();
  }
  /// Fields of a member that stand among those of the whole.
  template <class Part, class Visit>
  void member(Part T::* member, Visit visit) {
    FieldReader<Part> fields(holder_, value_->*member);
    visit(fields);
  }

 private:
  Holder holder_;
  T* value_;
  T base_;
};

template <class T>
class FieldWriter {
 public:
  FieldWriter(document::Node& node, const T& value, const T& base)
      : node_(&node), value_(&value), base_(&base) {}

  void integer(std::string_view name, std::int64_t T::* member,
               document::IntegerBounds /*bounds*/) {
    write(name, member, [](std::int64_t value) { return document::Node(value); });
  }
  void integer(std::string_view name, int T::* member, document::IntegerBounds /*bounds*/) {
    write(name, member, [](int value) { return document::Node(value); });
  }
  void integer_like(std::string_view name, std::int64_t T::* member, std::int64_t T::* leader,
                    document::IntegerBounds /*bounds*/) {
    const bool follows = value_->*leader != base_->*leader;
    if (value_->*member != (follows ? value_->*leader : base_->*member))
      node_->set(std::string(name), value_->*member);
  }
  void number(std::string_view name, double T::* member, document::NumberBounds /*bounds*/) {
    write(name, member, [](double value) {
      const auto whole = static_cast<std::int64_t>(value);
      return static_cast<double>(whole) == value ? document::Node(whole) : document::Node(value);
    });
  }
  void boolean(std::string_view name, bool T::* member) {
    write(name, member, [](bool value) { return document::Node(value); });
  }
  void text(std::string_view name, std::string T::* member) {
    write(name, member, [](const std::string& value) { return document::Node(value); });
  }
  void texts(std::string_view name, std::vector<std::string> T::* member) {
    write(name, member, [](const std::vector<std::string>& values) {
      document::Node list = document::Node::sequence();
      list.in_flow();
      for (const std::string& value : values) list.add(value);
      return list;
    });
  }
  template <class E>
  void choice(std::string_view name, E T::* member) {
    write(name, member, [](E value) { return document::Node(name_of(value)); });
  }
  void tensors(std::string_view name, std::vector<domain::ExtraTensor> T::* member) {
    write(name, member, tensor_list);
  }
  template <class Part, class Visit>
  void part(std::string_view name, std::optional<Part> T::* member, Visit visit) {
    const std::optional<Part>& mine = value_->*member;
    const std::optional<Part>& others = base_->*member;
    if (mine == others) return;
    if (!mine) {
      node_->set(std::string(name), kNoPart);
      return;
    }
    const Part plain = others.value_or(Part{});
    document::Node& inside = node_->set(std::string(name), document::Node::mapping());
    inside.in_flow();
    FieldWriter<Part> fields(inside, *mine, plain);
    visit(fields);
  }
  template <class Part, class Visit>
  void member(Part T::* member, Visit visit) {
    FieldWriter<Part> fields(*node_, value_->*member, base_->*member);
    visit(fields);
  }

 private:
  template <class Member, class ToNode>
  void write(std::string_view name, Member member, ToNode to_node) {
    if (!(value_->*member == base_->*member))
      node_->set(std::string(name), to_node(value_->*member));
  }

  document::Node* node_;
  const T* value_;
  const T* base_;
};

}  // namespace gpushape::catalog
