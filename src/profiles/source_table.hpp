// Short source keys and what they stand for. Data files name keys beside their facts; the table is
// profiles/sources.yaml, and a file may add keys of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "document/reader.hpp"

namespace gpushape::profiles {

class SourceTable {
 public:
  /// The pairs of the `sources:` mapping of a document, if it has one. Keys that are not there are
  /// looked up in `common`, which must outlive the table.
  explicit SourceTable(document::Reader& reader, const SourceTable* common = nullptr);

  /// The text behind `field`, a key or a sequence of keys and of sentences such as "derived: as the
  /// L40S"; several are joined by "; ". A single word that is no key is complained of. Empty where
  /// the field is absent.
  std::string text_of(document::Reader& reader, std::string_view field) const;

 private:
  void add_text(document::Reader& reader, std::string_view field, const std::string& word,
                std::string& text) const;
  [[nodiscard]] const std::string* find(const std::string& key) const;

  const SourceTable* common_ = nullptr;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// profiles/sources.yaml, which the files of an overlay may name keys of, too.
const SourceTable& built_in_sources();

}  // namespace gpushape::profiles
