#include "catalog/engine_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/reader.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

constexpr double kMostOfAConstant = 1e15;  // bytes of no machine, tokens of no cache

std::optional<domain::EngineVersion> version_of(Reader& reader, std::string_view field,
                                                const std::string& text) {
  const std::optional<domain::EngineVersion> version = domain::engine_version(text);
  if (!version) {
    reader.complain(field, fmt::format("'{}' is not a version", text),
                    R"(write one to three numbers, as in "0.19" or "0.19.1")");
  }
  return version;
}

domain::EngineConstant read_constant(Reader& reader, const std::string& common_source) {
  domain::EngineConstant constant;
  const document::NumberBounds bounds{.least = -kMostOfAConstant, .most = kMostOfAConstant};
  constant.name = reader.required_text("name");
  constant.expected = reader.required_number("expected", bounds);
  constant.low = reader.number("low", bounds).value_or(constant.expected);
  constant.high = reader.number("high", bounds).value_or(constant.expected);
  constant.when = reader.text("when").value_or("");
  constant.unit = reader.text("unit").value_or("");
  constant.source = reader.text("source").value_or(common_source);
  if (constant.low > constant.expected || constant.expected > constant.high) {
    reader.complain(fmt::format("constant '{}': {} <= {} <= {} does not hold", constant.name,
                                constant.low, constant.expected, constant.high),
                    "give low, expected and high in ascending order");
  }
  if (constant.source.empty()) {
    reader.complain(fmt::format("constant '{}' has no source", constant.name),
                    "add `source:` to the constant or to its row of facts");
  }
  reader.finish();
  return constant;
}

domain::EngineFacts read_facts(Reader& reader, const std::string& engine) {
  domain::EngineFacts facts;
  facts.engine = engine;
  if (const std::string text = reader.required_text("since"); !text.empty())
    facts.since = version_of(reader, "since", text).value_or(domain::EngineVersion{});
  const std::string source = reader.text("source").value_or("");
  for (Reader& constant : reader.mappings("constants"))
    facts.constants.push_back(read_constant(constant, source));
  for (std::size_t i = 0; i < facts.constants.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (facts.constants[i].name == facts.constants[j].name &&
          facts.constants[i].when == facts.constants[j].when) {
        reader.complain("constants",
                        fmt::format("constant '{}' stands twice for '{}'", facts.constants[i].name,
                                    facts.constants[i].when),
                        "keep one of them");
      }
    }
  }
  reader.finish();
  return facts;
}

std::optional<domain::EngineVersion> optional_version(Reader& reader, std::string_view field) {
  const std::optional<std::string> text = reader.text(field);
  return text ? version_of(reader, field, *text) : std::nullopt;
}

domain::EngineCacheType read_cache_type(Reader& reader) {
  domain::EngineCacheType row;
  if (!reader.required_text("type").empty())
    row.type = reader.choice<domain::KvCacheType>("type").value_or(domain::KvCacheType::Auto);
  row.models = reader.choice<domain::CacheTypeFor>("models").value_or(domain::CacheTypeFor::All);
  row.after = optional_version(reader, "after");
  row.since = optional_version(reader, "since");
  row.note = reader.text("note").value_or("");
  row.source = reader.required_text("source");
  if (row.after && row.since && *row.after >= *row.since) {
    reader.complain("since", "`since` is not later than `after`",
                    "after: the last release without the type; since: the first one with it");
  }
  reader.finish();
  return row;
}

}  // namespace

Result<domain::Engine> read_engine(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "engine");
  domain::Engine engine;
  engine.name = reader.required_text("id");
  engine.aliases = reader.texts("aliases");
  for (const std::string& text : reader.texts("knownVersions")) {
    if (const auto version = version_of(reader, "knownVersions", text))
      engine.known_versions.push_back(*version);
  }
  if (diagnostics.empty() && engine.known_versions.empty())
    reader.complain(std::string("engine has no knownVersions"),
                    "list the versions that there are facts for");
  if (!std::ranges::is_sorted(engine.known_versions))
    reader.complain("knownVersions", "knownVersions do not ascend", "put the oldest first");
  for (Reader& row : reader.mappings("kvCacheTypes"))
    engine.cache_types.push_back(read_cache_type(row));
  std::vector<domain::EngineFacts> rows;
  for (Reader& facts : reader.mappings("facts")) rows.push_back(read_facts(facts, engine.name));
  if (!std::ranges::is_sorted(rows, {}, &domain::EngineFacts::since))
    reader.complain("facts", "the rows of facts do not ascend by their `since`",
                    "put the oldest first");
  engine.facts = std::move(rows);
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return engine;
}

}  // namespace gpushape::catalog
