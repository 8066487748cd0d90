// gpushape catalog import: a config.json, a snapshot folder or a weight file as an overlay entry.
#include <fmt/format.h>

#include <filesystem>

#include "catalog/model_entry.hpp"
#include "catalog/model_entry_text.hpp"
#include "cli/catalog.hpp"
#include "cli/listing.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"

namespace gpushape::cli {
namespace {

namespace fs = std::filesystem;

// "models--meta-llama--Llama-3.1-8B/snapshots/<hash>" of the Hub's cache, or the name of the
// folder.
std::string id_from_path(const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::weakly_canonical(path, ignored);
  if (!fs::is_directory(folder, ignored)) {
    const std::string stem = folder.stem().string();
    if (stem != "config" && folder.extension() != ".json") return "local/" + stem;
    folder = folder.parent_path();
  }
  for (const fs::path& part : folder) {
    const std::string name = part.string();
    if (!name.starts_with("models--")) continue;
    std::string id = name.substr(8);
    if (const std::size_t at = id.find("--"); at != std::string::npos) id.replace(at, 2, "/");
    return id;
  }
  const std::string name = folder.filename().string();
  return "local/" + (name.empty() ? "model" : name);
}

}  // namespace

int import_model(const Invocation& invocation, const Terminal& terminal) {
  const std::string& path = invocation.positionals[1];
  std::error_code ignored;
  if (path != "-" && !fs::exists(path, ignored)) {
    return refuse({complaint(fmt::format("{}: there is no such file or folder", path),
                             "give a config.json, a folder with one, or a weight file")},
                  terminal);
  }
  Result<domain::Model> model = catalog::Catalog::read(path);
  if (!model) return refuse(model.error(), terminal);
  const CatalogImport& asked = invocation.catalog_import;
  model->id = asked.id.empty() ? id_from_path(path) : asked.id;
  model->aliases = asked.aliases;
  catalog::EntryOptions options;
  options.config_source = asked.source;
  if (!asked.source.empty()) options.default_source = asked.source;
  const document::Node entry = catalog::model_entry(*model, options);
  // What is handed out as an entry must be one.
  const auto documents = document::read_yaml(document::write_yaml(entry), model->id);
  if (!documents) return refuse(documents.error(), terminal);
  if (const auto back = catalog::read_model(documents->front(), "overlay"); !back)
    return refuse(back.error(), terminal);
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  const bool is_json = *format == "json";
  const auto written =
      write_pieces({{"entry", is_json ? "json" : "yaml",
                     is_json ? document::write_json(entry) : document::write_yaml(entry)}},
                   invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& file : *written)
    terminal.err << fmt::format("{}: written; give its folder with --catalog-dir\n", file);
  return kDone;
}

}  // namespace gpushape::cli
