#include "catalog/fields.hpp"

#include <fmt/format.h>

namespace gpushape::catalog {

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
  reader_->complain(fmt::format("{} has no field '{}'", reader_->what(), name),
                    "the size cannot be known without it");
  return 1;
}

}  // namespace gpushape::catalog
