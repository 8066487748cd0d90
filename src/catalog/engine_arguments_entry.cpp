#include "catalog/engine_arguments_entry.hpp"

#include <fmt/format.h>

#include <utility>

#include "document/reader.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

domain::EngineVersion argument_version(Reader& reader, std::string_view field) {
  const std::string text = reader.required_text(field);
  const std::optional<domain::EngineVersion> version = domain::engine_version(text);
  if (!version) reader.complain(field, fmt::format("'{}' is not a version", text));
  return version.value_or(domain::EngineVersion{});
}

}  // namespace

Result<domain::EngineArguments> read_engine_arguments(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "engine arguments");
  domain::EngineArguments arguments;
  arguments.engine = reader.required_text("id");
  arguments.version = argument_version(reader, "version");
  arguments.is_complete = reader.boolean("isComplete").value_or(false);
  arguments.reads_underscores = reader.boolean("readsUnderscores").value_or(false);
  arguments.has_negations = reader.boolean("hasNegations").value_or(false);
  arguments.has_keys = reader.boolean("hasKeys").value_or(false);
  arguments.takes_prefixes = reader.boolean("takesPrefixes").value_or(false);
  arguments.values = reader.texts("values");
  arguments.switches = reader.texts("switches");
  for (Reader& row : reader.mappings("spellings")) {
    std::string spelling = row.required_text("spelling");
    arguments.spellings.push_back({std::move(spelling), row.required_text("flag")});
    row.finish();
  }
  for (Reader& row : reader.mappings("settings")) {
    std::string setting = row.required_text("setting");
    arguments.settings.push_back({std::move(setting), row.required_text("flag")});
    row.finish();
  }
  for (Reader& row : reader.mappings("retired")) {
    domain::RetiredArgument retired;
    retired.flag = row.required_text("flag");
    retired.before = argument_version(row, "before");
    retired.instead = row.text("instead").value_or("");
    arguments.retired.push_back(std::move(retired));
    row.finish();
  }
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return arguments;
}

}  // namespace gpushape::catalog
