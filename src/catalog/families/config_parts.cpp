#include "catalog/families/config_parts.hpp"

#include <fmt/format.h>

#include <utility>

namespace gpushape::catalog {

void ConfigParts::from(std::string_view fact, std::string source) const {
  if (!fact.empty()) model_->sources.push_back({std::string(fact), std::move(source)});
}
void ConfigParts::from_config(std::string_view fact) const { from(fact, "config.json"); }
void ConfigParts::from_family(std::string_view fact) const {
  from(fact, family_->source.empty()
                 ? fmt::format("default of the {} family in transformers", family_->model_type())
                 : std::string(family_->source));
}

// All are marked as understood: a config may say the same under two names.
std::string_view ConfigParts::first_of(FieldNames names) const {
  std::string_view first;
  for (const std::string_view name : names) {
    if (fields_.given(name) && first.empty()) first = name;
  }
  return first;
}

std::int64_t ConfigParts::size(FieldNames names, std::string_view fact,
                               document::IntegerBounds bounds) const {
  const std::string_view name = first_of(names);
  from_config(fact);
  return fields_.required_integer(name.empty() ? *names.begin() : name, bounds);
}

std::int64_t ConfigParts::size_or(FieldNames names, std::string_view fact,
                                  document::IntegerBounds bounds, std::int64_t otherwise) const {
  if (otherwise == 0) return size(names, fact, bounds);
  const std::string_view name = first_of(names);
  if (name.empty()) {
    from_family(fact);
    return otherwise;
  }
  from_config(fact);
  return fields_.integer(name, bounds).value_or(1);
}

std::optional<std::int64_t> ConfigParts::size_if(FieldNames names, std::string_view fact,
                                                 document::IntegerBounds bounds) const {
  const std::string_view name = first_of(names);
  if (name.empty()) return std::nullopt;
  from_config(fact);
  return fields_.integer(name, bounds).value_or(1);
}

bool ConfigParts::flag(std::string_view field, std::string_view fact, bool otherwise) const {
  if (field.empty() || !fields_.given(field)) {
    from_family(fact);
    return otherwise;
  }
  from_config(fact);
  return fields_.boolean(field).value_or(otherwise);
}

std::vector<std::int64_t> ConfigParts::integers(std::string_view field,
                                                document::IntegerBounds bounds) const {
  return fields_.given(field) ? fields_.reader().integers(field, bounds)
                              : std::vector<std::int64_t>{};
}

std::int64_t label_count(const Fields& root) {
  const document::Node* labels = root.node("id2label");
  const std::int64_t count = root.integer("num_labels", kVocabulary).value_or(2);
  const bool is_listed =
      labels != nullptr && labels->is(document::Node::Kind::Mapping) && !labels->entries().empty();
  return is_listed ? static_cast<std::int64_t>(labels->entries().size()) : count;
}

}  // namespace gpushape::catalog
