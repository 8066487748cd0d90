#include "catalog/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/edit_distance.hpp"
#include "catalog/engine_arguments_entry.hpp"
#include "catalog/engine_command_entry.hpp"
#include "catalog/engine_entry.hpp"
#include "catalog/format_words.hpp"
#include "catalog/hub_address.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/nearest_models.hpp"
#include "catalog/overlay_files.hpp"
#include "catalog/packed_entries.hpp"
#include "catalog/renamed_model.hpp"
#include "catalog/repository_name.hpp"
#include "catalog/snapshot.hpp"
#include "catalog/spelling.hpp"
#include "document/text_format.hpp"

namespace gpushape::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModels = "models/";
constexpr std::string_view kEngines = "engines/";
constexpr std::string_view kEngineFlags = "engines/flags/";
constexpr std::string_view kEngineArguments = "engines/arguments/";

void append(Diagnostics& all, const Diagnostics& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool looks_like_a_path(std::string_view name) {
  return name.starts_with('/') || name.starts_with("./") || name.starts_with("../") ||
         name.starts_with('~') || name.ends_with('/') || name.ends_with(".json") ||
         name.ends_with(".gguf") || name.ends_with(".safetensors");
}

constexpr std::size_t kShown = 120;

std::string_view owner_of(std::string_view id) { return id.substr(0, id.find('/')); }

/// "RedHatAI/…-NVFP4" is no copy of "nvidia/…-NVFP4": publishers keep layers of their own choice.
bool has_other_recipe(std::string_view name, const domain::Model& entry) {
  const std::optional<QuantizedName> asked = quantized_name(name);
  const std::optional<QuantizedName> found = quantized_name(entry.id);
  return name.contains('/') && asked && found && asked->suffix != found->suffix &&
         !found->suffix->organization.empty();
}

}  // namespace

Result<Catalog> Catalog::open(const std::optional<std::string>& overlay_folder) {
  Catalog catalog;
  if (!overlay_folder) return catalog;
  std::error_code ignored;
  const fs::path folder = *overlay_folder;
  if (!fs::is_directory(folder, ignored)) {
    return failure(fmt::format("catalog folder '{}' is not a folder", *overlay_folder),
                   "give a folder with models/*.yaml");
  }
  Diagnostics diagnostics;
  for (const fs::path& part : {folder, folder / "models", folder / "engines"}) {
    for (const fs::path& path : yaml_files(part)) {
      Result<document::Document> document = read_overlay_file(path);
      if (!document) {
        append(diagnostics, document.error());
        continue;
      }
      const bool is_engine = part.filename() == "engines" ||
                             (part == folder && document->root.find("knownVersions") != nullptr);
      OverlayFile file;
      if (is_engine) {
        const Result<domain::Engine> engine = read_engine(*document);
        if (!engine) append(diagnostics, engine.error());
        if (engine) {
          file.id = engine->name;
          file.aliases = engine->aliases;
        }
      } else {
        Result<domain::Model> model = read_model(*document, "overlay");
        if (!model) append(diagnostics, model.error());
        if (model) {
          file.id = model->id;
          file.aliases = std::move(model->aliases);
        }
      }
      file.document = std::move(*document);
      (is_engine ? catalog.overlay_engines_ : catalog.overlay_models_).push_back(std::move(file));
    }
  }
  if (!diagnostics.empty()) return failure(std::move(diagnostics));
  return catalog;
}

std::optional<Result<domain::Model>> Catalog::find_entry(std::string_view name) const {
  for (const OverlayFile& file : overlay_models_) {
    if (is_same_name(file.id, name)) return read_model(file.document, "overlay");
  }
  for (const OverlayFile& file : overlay_models_) {
    if (std::ranges::any_of(file.aliases,
                            [&](const auto& alias) { return is_same_name(alias, name); }))
      return read_model(file.document, "overlay");
  }
  for (const document::PackedFile& file : embedded(kModels)) {
    if (!answers_to(file, name)) continue;
    // One id, one entry: the names of an entry that is replaced lead to what replaces it.
    for (const OverlayFile& own : overlay_models_) {
      if (is_same_name(own.id, file.id)) return read_model(own.document, "overlay");
    }
    return read_model(document::unpack(file), "catalog");
  }
  return std::nullopt;
}

// Ids of the entries with a name that is the same but for owner and marks.
std::vector<std::string> Catalog::mirrored_ids(const std::string& wanted, Compare compare) const {
  std::vector<std::string> ids;
  const auto consider = [&](std::string_view candidate, std::string_view id) {
    if (compare(candidate) != wanted) return;
    if (std::ranges::none_of(ids,
                             [&](const std::string& other) { return is_same_name(other, id); }))
      ids.emplace_back(id);
  };
  for (const OverlayFile& file : overlay_models_) {
    consider(file.id, file.id);
    for (const std::string& alias : file.aliases) consider(alias, file.id);
  }
  for (const document::PackedFile& file : embedded(kModels)) {
    consider(file.id, file.id);
    for (const std::string_view alias : lines_of(file.aliases)) consider(alias, file.id);
  }
  return ids;
}

// Where a series has no entry under the bare name, people mean its one month, or its
// instruction-tuned model.
std::optional<Result<domain::Model>> Catalog::find_mirrored(std::string_view name) const {
  const std::string wanted = comparable_name(name);
  if (wanted.empty()) return std::nullopt;
  for (const std::string_view tuned : {"", "-instruct", "-it", "-chat"}) {
    for (const Compare compare : {comparable_name, undated_name}) {
      const auto ids = mirrored_ids(wanted + std::string(tuned), compare);
      if (ids.size() > 1) return std::nullopt;
      if (!ids.empty()) return find_entry(ids.front());
    }
  }
  const std::vector<std::string> ids = mirrored_ids(unmarked_name(name), unmarked_name);
  return ids.size() == 1 ? find_entry(ids.front()) : std::nullopt;
}

std::optional<Result<domain::Model>> Catalog::find_quantized(std::string_view name) const {
  const std::optional<QuantizedName> parts = quantized_name(name);
  if (!parts) return std::nullopt;
  // What is quantized by its own name is not quantized again; what its publisher trained in few
  // bits may be.
  // "…-GGUF:Q5_K_M" is one file of a repository.
  const std::string stem(without_gguf(parts->base));
  if (quantized_name(stem)) return std::nullopt;
  const std::size_t slash = name.find('/');
  auto base = slash == std::string_view::npos
                  ? std::nullopt
                  : find_entry(fmt::format("{}/{}", name.substr(0, slash), stem));
  if (!base) base = find_entry(stem);
  if (!base) base = find_mirrored(stem);
  // "…-Uncensored-Multimodal-NVFP4" of a publisher who has a recipe for it.
  if (const auto unaltered = base ? std::nullopt : unaltered_name(stem))
    base = find_mirrored(*unaltered);
  if (!base || !*base) return base;
  const RepositorySuffix* suffix = parts->suffix;
  if (slash == std::string_view::npos) {
    // Who names no owner means the model's own publisher.
    const std::string_view id = (**base).id;
    if (const auto own = quantized_name(fmt::format("{}/{}", owner_of(id), name)))
      suffix = own->suffix;
  }
  // "gpt-oss-20b-mxfp4": the publisher's own precision.
  if ((**base).weights.linear == suffix->linear) return renamed(std::move(**base), name);
  return requantized(std::move(**base), name, *suffix);
}

std::optional<Result<domain::Model>> Catalog::find_tuned(std::string_view name) const {
  const std::vector<EntryName> names = entry_names();
  if (const std::optional<std::string> base = tuned_base(name, names)) {
    Result<domain::Model> entry = *find_entry(*base);
    return entry ? tuned(*std::move(entry), name) : std::move(entry);
  }
  if (const std::optional<std::string_view> shorter = up_to_format(name)) {
    if (auto entry = find_quantized(*shorter); entry && *entry)
      return renamed(*std::move(*entry), name);
  }
  const std::optional<QuantizedName> parts = quantized_name(name);
  if (!parts || !name.contains('/')) return std::nullopt;
  const std::string stem = fmt::format("{}/{}", owner_of(name), without_gguf(parts->base));
  const std::optional<std::string> base = tuned_base(stem, names);
  if (!base) return std::nullopt;
  Result<domain::Model> entry = *find_entry(*base);
  return entry ? requantized(tuned(*std::move(entry), stem), name, *parts->suffix)
               : std::move(entry);
}

// A slip is put right where it can have been meant for one model alone, and the answer says so.
std::optional<Result<domain::Model>> Catalog::find_respelled(std::string_view name) const {
  std::optional<Result<domain::Model>> found;
  for (const std::string& right : respelled_names(name, model_names())) {
    Result<domain::Model> model = find_name(right);
    if (!model) continue;
    if (found && (**found).id != model->id) return std::nullopt;
    model->asked_as = name;
    found = std::move(model);
  }
  return found;
}

Result<domain::Model> Catalog::find_typed(std::string_view name, FormatBy by) const {
  Result<domain::Model> model = find(name, by);
  if (model) return model;
  if (auto respelled = find_respelled(name)) return std::move(*respelled);
  return model;
}

Result<domain::Model> Catalog::find(std::string_view name, FormatBy by) const {
  if (name.empty()) return failure("the name of the model is empty");
  if (const std::optional<std::string> repository = hub_repository(name))
    return find_name(*repository);
  if (std::optional<Result<domain::Model>> entry = find_entry(name)) return std::move(*entry);
  const std::string text(name);
  std::error_code ignored;
  if (looks_like_a_path(name) || fs::exists(text, ignored)) return read_source(text, by);
  return find_name(name);
}

// Who names a quantization without its owner may mean that of anybody, unless the model's own
// publisher made it.
domain::Model Catalog::of_any_publisher(domain::Model entry) const {
  const std::optional<QuantizedName> parts = quantized_name(entry.id);
  const auto base = parts ? find_mirrored(parts->base) : std::nullopt;
  if (base && *base && owner_of((**base).id) != owner_of(entry.id))
    entry.weights.is_told_by_name = true;
  return entry;
}

Result<domain::Model> Catalog::find_name(std::string_view name) const {
  if (std::optional<Result<domain::Model>> entry = find_entry(name)) return std::move(*entry);
  // A GGUF repository holds files of its own types.
  const bool is_of_files = without_gguf(name) != name;
  auto mirrored = is_of_files ? std::nullopt : find_mirrored(name);
  if (mirrored && !(*mirrored && has_other_recipe(name, **mirrored))) {
    if (!*mirrored) return std::move(*mirrored);
    return name.contains('/') ? renamed(std::move(**mirrored), name)
                              : of_any_publisher(std::move(**mirrored));
  }
  if (std::optional<Result<domain::Model>> entry = find_quantized(name)) return std::move(*entry);
  if (mirrored) return renamed(std::move(**mirrored), name);
  if (const std::optional<std::string> base = unaltered_name(name)) {
    if (Result<domain::Model> entry = find_name(*base)) return renamed(std::move(*entry), name);
  }
  if (const std::optional<std::string> base = shorter_name(name)) {
    if (Result<domain::Model> entry = find_name(*base)) return lengthened(std::move(*entry), name);
  }
  if (std::optional<Result<domain::Model>> entry = find_tuned(name)) return std::move(*entry);
  if (const std::optional<std::string_view> base = untaught_name(name)) {
    if (std::optional<Result<domain::Model>> entry = find_mirrored(*base); entry && *entry)
      return tuned(std::move(**entry), name);
  }
  // "Qwen/Qwen3-8B@main", as the Hub's tools name a revision.
  if (const std::size_t mark = name.find('@'); mark != std::string_view::npos) {
    if (Result<domain::Model> entry = find_name(name.substr(0, mark)))
      return renamed(std::move(*entry), name);
  }
  return failure(fmt::format("model '{}' is not in the catalog", name.substr(0, kShown)),
                 format_suggestion(name).value_or(model_suggestion(name, model_names())));
}

// What to do about a name whose format no rule reads: "Qwen3-8B-SINQ" is some size of Qwen3-8B.
std::optional<std::string> Catalog::format_suggestion(std::string_view name) const {
  const std::optional<std::string_view> word = format_word(name);
  if (!word) return std::nullopt;
  std::string_view stem = name.substr(0, static_cast<std::size_t>(word->data() - name.data()));
  while (!stem.empty() && std::string_view("-_ :").contains(stem.back())) stem.remove_suffix(1);
  const Result<domain::Model> model = find_name(stem);
  // Of a format that a rule reads, it is the base model that is not known.
  if (!model && quantized_name(name)) return std::nullopt;
  const std::string base =
      model ? fmt::format("'{}'", model->base.value_or(model->id)) : "its base model";
  return fmt::format(
      "'{}' in its name speaks of a format whose size the name does not tell: give its "
      "config.json, or {} with --quant",
      word->substr(0, kShown), base);
}

Result<domain::Model> Catalog::read(const std::string& path) {
  return read_source(path, FormatBy::Checkpoint);
}

std::vector<EntryName> Catalog::entry_names() const {
  std::vector<EntryName> names;
  for (const OverlayFile& file : overlay_models_) {
    names.push_back({file.id, file.id});
    for (const std::string& alias : file.aliases) names.push_back({alias, file.id});
  }
  for (const document::PackedFile& file : embedded(kModels)) {
    names.push_back({std::string(file.id), std::string(file.id)});
    for (const std::string_view alias : lines_of(file.aliases))
      names.push_back({std::string(alias), std::string(file.id)});
  }
  return names;
}

std::vector<std::string> Catalog::model_names() const {
  std::vector<std::string> names;
  for (EntryName& entry : entry_names()) names.push_back(std::move(entry.name));
  return names;
}

std::vector<std::string> Catalog::models() const {
  const std::vector<document::PackedFile> built_in = embedded(kModels);
  std::vector<std::string> ids;
  ids.reserve(overlay_models_.size() + built_in.size());
  for (const OverlayFile& file : overlay_models_) ids.push_back(file.id);
  for (const document::PackedFile& file : built_in) ids.emplace_back(file.id);
  return sorted_once(ids);
}

Result<domain::Engine> Catalog::engine(std::string_view name) const {
  for (const OverlayFile& file : overlay_engines_) {
    const bool answers = is_same_name(file.id, name) ||
                         std::ranges::any_of(file.aliases, [&](const std::string& alias) {
                           return is_same_name(alias, name);
                         });
    if (answers) return read_engine(file.document);
  }
  for (const document::PackedFile& file : embedded(kEngines)) {
    if (!answers_to(file, name)) continue;
    for (const OverlayFile& own : overlay_engines_) {
      if (is_same_name(own.id, file.id)) return read_engine(own.document);
    }
    return read_engine(document::unpack(file));
  }
  return failure(fmt::format("engine '{}' is not in the catalog", name.substr(0, 120)),
                 suggestion(name, engines()));
}

std::optional<domain::EngineCommand> Catalog::engine_command(std::string_view id) {
  for (const document::PackedFile& file : embedded(kEngineFlags)) {
    if (file.id != id) continue;
    Result<domain::EngineCommand> command = read_engine_command(document::unpack(file));
    if (!command) throw std::logic_error(to_text(command.error()));
    return std::move(*command);
  }
  return std::nullopt;
}

std::optional<domain::EngineArguments> Catalog::engine_arguments(std::string_view id) {
  for (const document::PackedFile& file : embedded(kEngineArguments)) {
    if (file.id != id) continue;
    Result<domain::EngineArguments> arguments = read_engine_arguments(document::unpack(file));
    if (!arguments) throw std::logic_error(to_text(arguments.error()));
    return std::move(*arguments);
  }
  return std::nullopt;
}

std::vector<std::string> Catalog::engines() const {
  const std::vector<document::PackedFile> built_in = embedded(kEngines);
  std::vector<std::string> ids;
  ids.reserve(overlay_engines_.size() + built_in.size());
  for (const OverlayFile& file : overlay_engines_) ids.push_back(file.id);
  for (const document::PackedFile& file : built_in) ids.emplace_back(file.id);
  return sorted_once(ids);
}

}  // namespace gpushape::catalog
