// Fields of a Hugging Face file: null means the same as absent, and fields that nobody asks for are
// passed over.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/reader.hpp"

namespace gpushape::catalog {

class Fields {
 public:
  /// The reader stays with the caller and outlives this.
  explicit Fields(document::Reader& reader) : reader_(&reader) {}

  /// Present and not null.
  [[nodiscard]] bool given(std::string_view name) const;
  /// The first of the names that is given; empty where none is.
  [[nodiscard]] std::string_view first_given(std::initializer_list<std::string_view> names) const;

  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name,
                                                    document::IntegerBounds bounds = {}) const;
  [[nodiscard]] std::optional<double> number(std::string_view name,
                                             document::NumberBounds bounds = {}) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::optional<document::Reader> mapping(std::string_view name) const;
  [[nodiscard]] const document::Node* node(std::string_view name) const;

  /// 1, after a complaint that names the field, where it is not given.
  [[nodiscard]] std::int64_t required_integer(std::string_view name,
                                              document::IntegerBounds bounds) const;

  void complain(std::string_view field, std::string message, std::string help = {}) const {
    reader_->complain(field, std::move(message), std::move(help));
  }
  [[nodiscard]] document::Reader& reader() const { return *reader_; }

 private:
  document::Reader* reader_;
};

}  // namespace gpushape::catalog
