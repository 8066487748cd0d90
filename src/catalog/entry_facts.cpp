#include "catalog/entry_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpushape::catalog {

using document::Reader;

EntryFacts::EntryFacts(Reader& entry, std::vector<domain::FactSource>& sources)
    : entry_(entry), sources_(sources) {
  for (Reader& reader : entry.mappings("facts")) {
    std::string source = reader.required_text("source");
    groups_.push_back({std::move(reader), std::move(source)});
  }
  if (groups_.empty())
    entry.complain(std::string("model has no facts"), "add `facts:` with its sizes");
}

Reader* EntryFacts::holder(std::string_view fact) {
  Group* found = nullptr;
  for (Group& group : groups_) {
    if (!group.reader.has(fact)) continue;
    if (found != nullptr) {
      group.reader.complain(fact, fmt::format("fact '{}' stands in two groups", fact));
      continue;
    }
    found = &group;
  }
  if (found == nullptr) return nullptr;
  sources_.push_back({std::string(fact), found->source});
  return &found->reader;
}

bool EntryFacts::has(std::string_view fact) {
  return std::ranges::any_of(groups_, [&](Group& group) { return group.reader.has(fact); });
}

Reader* EntryFacts::required(std::string_view fact) {
  require({fact});
  return holder(fact);
}

void EntryFacts::require(std::initializer_list<std::string_view> facts) {
  if (groups_.empty()) return;
  for (const std::string_view fact : facts) {
    if (!has(fact))
      entry_.complain(fmt::format("model has no fact '{}'", fact),
                      "add it to the group of `facts:` that names its source");
  }
}

std::optional<std::int64_t> EntryFacts::integer(std::string_view fact,
                                                document::IntegerBounds bounds) {
  Reader* reader = holder(fact);
  return reader == nullptr ? std::nullopt : reader->integer(fact, bounds);
}

std::optional<bool> EntryFacts::boolean(std::string_view fact) {
  Reader* reader = holder(fact);
  return reader == nullptr ? std::nullopt : reader->boolean(fact);
}

void EntryFacts::finish() {
  for (Group& group : groups_) group.reader.finish();
}

}  // namespace gpushape::catalog
