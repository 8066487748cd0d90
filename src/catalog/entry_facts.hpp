// The groups of an entry's `facts`, read as one mapping: a fact stands in one group and takes its
// source.
#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/entry_fields.hpp"
#include "document/reader.hpp"
#include "domain/fact.hpp"

namespace gpushape::catalog {

class EntryFacts {
 public:
  /// `entry` and `sources` stay with the caller and outlive this.
  EntryFacts(document::Reader& entry, std::vector<domain::FactSource>& sources);

  /// The group that holds the fact, marked as known in all; null where none does. Its source goes
  /// to the model's.
  document::Reader* holder(std::string_view fact);
  [[nodiscard]] Holder holders() {
    return [this](std::string_view fact) { return holder(fact); };
  }
  /// As holder, with a complaint where no group has the fact.
  document::Reader* required(std::string_view fact);
  void require(std::initializer_list<std::string_view> facts);
  [[nodiscard]] bool has(std::string_view fact);

  std::optional<std::int64_t> integer(std::string_view fact, document::IntegerBounds bounds);
  std::optional<bool> boolean(std::string_view fact);
  template <class E>
  std::optional<E> choice(std::string_view fact) {
    document::Reader* reader = holder(fact);
    return reader == nullptr ? std::nullopt : reader->choice<E>(fact);
  }

  void finish();

 private:
  struct Group {
    document::Reader reader;
    std::string source;
  };

  document::Reader& entry_;
  std::vector<domain::FactSource>& sources_;
  std::deque<Group> groups_;
};

}  // namespace gpushape::catalog
