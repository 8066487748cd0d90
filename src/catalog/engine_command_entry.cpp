#include "catalog/engine_command_entry.hpp"

#include <fmt/format.h>

#include <utility>

#include "document/reader.hpp"

namespace gpushape::catalog {
namespace {

using document::Reader;

constexpr std::int64_t kMostPort = 65535;

std::optional<domain::EngineVersion> version_of(Reader& reader, std::string_view field) {
  const std::optional<std::string> text = reader.text(field);
  if (!text) return std::nullopt;
  const std::optional<domain::EngineVersion> version = domain::engine_version(*text);
  if (!version) reader.complain(field, fmt::format("'{}' is not a version", *text));
  return version;
}

domain::EngineFlagName read_flag(Reader& reader, std::string_view name) {
  domain::EngineFlagName flag;
  flag.setting = reader.required_text("setting");
  flag.flag = reader.text(name).value_or("");
  flag.since = version_of(reader, "since");
  flag.before = version_of(reader, "before");
  if (const document::Node* words = reader.node("words"); words != nullptr) {
    for (const document::Node::Entry& entry : words->entries()) {
      flag.words.push_back({entry.name, entry.value.text()});
    }
  }
  flag.source = reader.required_text("source");
  reader.finish();
  return flag;
}

}  // namespace

Result<domain::EngineCommand> read_engine_command(const document::Document& document) {
  Diagnostics diagnostics;
  Reader reader(document.root, *document.source, diagnostics, "engine command");
  domain::EngineCommand command;
  command.engine = reader.required_text("id");
  command.image = reader.required_text("image");
  command.tag = reader.required_text("tag");
  command.command = reader.texts("command");
  command.port = reader.required_integer("port", {.least = 1, .most = kMostPort});
  command.health_path = reader.required_text("healthPath");
  for (Reader& flag : reader.mappings("flags")) command.flags.push_back(read_flag(flag, "flag"));
  command.configuration_flag = reader.text("configurationFlag").value_or("");
  for (Reader& key : reader.mappings("configuration"))
    command.configuration.push_back(read_flag(key, "key"));
  reader.finish();
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return command;
}

}  // namespace gpushape::catalog
