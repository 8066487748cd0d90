// Short source keys and what they stand for. Data files name keys beside their facts; the table is
// profiles/sources.yaml, and a file may add keys of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/reader.hpp"

namespace gpushape::profiles {

class SourceTable {
 public:
  /// Adds the pairs of a `sources:` mapping, if the reader has one.
  void add(document::Reader& reader);

  /// The text behind `field`, a key or a sequence of keys and of sentences such as "derived: as the
  /// L40S"; several are joined by "; ". A single word that is no key is complained of. Empty where
  /// the field is absent.
  std::string text_of(document::Reader& reader, std::string_view field) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace gpushape::profiles
