// A config.json on its way into a Model: typed fields under all the names that families give them,
// with a source for each fact, whether it was read or is the family's default.
//
// A config may nest its decoder ("text_config", "llm_config" …): `fields()` is the mapping that
// describes the decoder, `root()` the whole file. A field that was asked for is understood; others
// that would change a model are complained of at the end (foreign_fields.hpp).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/families.hpp"
#include "catalog/fields.hpp"
#include "catalog/limits.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

using FieldNames = std::initializer_list<std::string_view>;

class ConfigParts {
 public:
  ConfigParts(document::Reader& root, document::Reader& decoder, const Family& family,
              domain::Model& model)
      : root_(root),
        fields_(decoder),
        is_nested_(&root != &decoder),
        family_(&family),
        model_(&model) {}

  [[nodiscard]] const Fields& root() const { return root_; }
  [[nodiscard]] const Fields& fields() const { return fields_; }
  [[nodiscard]] bool is_nested() const { return is_nested_; }
  [[nodiscard]] const Family& family() const { return *family_; }
  [[nodiscard]] const Traits& traits() const { return family_->traits; }
  [[nodiscard]] domain::Model& model() const { return *model_; }

  void from_config(std::string_view fact) const;
  void from_family(std::string_view fact) const;
  void from(std::string_view fact, std::string source) const;

  /// The first of the names that is given. A complaint, and 1, where none is.
  [[nodiscard]] std::int64_t size(FieldNames names, std::string_view fact,
                                  document::IntegerBounds bounds) const;
  /// `otherwise` is the family's default; 0 makes the field required.
  [[nodiscard]] std::int64_t size_or(FieldNames names, std::string_view fact,
                                     document::IntegerBounds bounds, std::int64_t otherwise) const;
  /// Nothing where none is given: no fact is noted then.
  [[nodiscard]] std::optional<std::int64_t> size_if(FieldNames names, std::string_view fact,
                                                    document::IntegerBounds bounds) const;
  /// `field` empty: the default alone.
  [[nodiscard]] bool flag(std::string_view field, std::string_view fact, bool otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view field,
                                                   document::IntegerBounds bounds) const;

  /// As a family whose reader this one builds on: the decoder of a nested config.
  [[nodiscard]] ConfigParts as(const Family& family) const {
    ConfigParts other = *this;
    other.family_ = &family;
    return other;
  }

 private:
  [[nodiscard]] std::string_view first_of(FieldNames names) const;

  Fields root_;
  Fields fields_;
  bool is_nested_;
  const Family* family_;
  domain::Model* model_;
};

/// Rows of a classifier: the labels that are listed, else counted, else two.
std::int64_t label_count(const Fields& root);

}  // namespace gpushape::catalog
