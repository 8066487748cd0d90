#include "catalog/fields.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/edit_distance.hpp"

namespace gpushape::catalog {
namespace {

/// The field that somebody may have misspelt: "hiden_size"; empty where none is nearly that.
std::string_view misspelt(const document::Node& mapping, std::string_view name) {
  constexpr std::size_t kSlips = 2;
  if (!mapping.is(document::Node::Kind::Mapping)) return {};
  for (const document::Node::Entry& entry : mapping.entries()) {
    const std::string_view key = entry.name;
    const bool is_as_long =
        key.size() + kSlips >= name.size() && key.size() <= name.size() + kSlips;
    if (is_as_long && key != name && edit_distance(key, name) <= kSlips) return key;
  }
  return {};
}

}  // namespace

bool Fields::given(std::string_view name) const { return node(name) != nullptr; }

std::string_view Fields::first_given(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (given(name)) return name;
  }
  return {};
}

std::optional<std::int64_t> Fields::integer(std::string_view name,
                                            document::IntegerBounds bounds) const {
  return given(name) ? reader_->integer(name, bounds) : std::nullopt;
}

std::optional<double> Fields::number(std::string_view name, document::NumberBounds bounds) const {
  return given(name) ? reader_->number(name, bounds) : std::nullopt;
}

std::optional<bool> Fields::boolean(std::string_view name) const {
  return given(name) ? reader_->boolean(name) : std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view name) const {
  return given(name) ? reader_->text(name) : std::nullopt;
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  return given(name) ? reader_->texts(name) : std::vector<std::string>{};
}

std::optional<document::Reader> Fields::mapping(std::string_view name) const {
  return given(name) ? reader_->mapping(name) : std::nullopt;
}

const document::Node* Fields::node(std::string_view name) const {
  const document::Node* found = reader_->node(name);
  return found == nullptr || found->is(document::Node::Kind::Null) ? nullptr : found;
}

std::int64_t Fields::required_integer(std::string_view name, document::IntegerBounds bounds) const {
  if (given(name)) return reader_->integer(name, bounds).value_or(1);
  const std::string_view slip = misspelt(reader_->self(), name);
  std::string message = fmt::format("{} has no field '{}'", reader_->what(), name);
  if (slip.empty()) {
    reader_->complain(std::move(message), "the size cannot be known without it");
  } else {
    reader_->complain(slip, std::move(message),
                      fmt::format("'{}' stands here: is it meant?", slip));
  }
  return 1;
}

}  // namespace gpushape::catalog
