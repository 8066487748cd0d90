// The model catalog: built-in entries, a user's overlay folder, and models read from files.
//
// Names are looked up without parsing: the build made an index of ids and aliases. Only the entry
// that is asked for is read. An overlay entry wins over a built-in one of the same id. The form of
// an entry is described in model_entry.hpp, that of an engine in engine_entry.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/config.hpp"
#include "catalog/tuned_name.hpp"
#include "document/pack.hpp"
#include "domain/engine.hpp"
#include "domain/engine_arguments.hpp"
#include "domain/engine_command.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// Everything below catalog/, packed by the build.
std::span<const document::PackedFile> embedded_catalog();

class Catalog {
 public:
  /// With an overlay folder (`models/*.yaml`, `engines/*.yaml` below it, or *.yaml directly), or
  /// none. Every fault of every overlay file is reported here.
  static Result<Catalog> open(const std::optional<std::string>& overlay_folder = std::nullopt);

  /// A catalog name, Hugging Face id or alias (letter case does not matter), or a path: a
  /// config.json, a folder with one, or a weight file. A name that differs from an entry's in its
  /// owner or its marks only is that entry ("unsloth/Llama-3.2-3B-Instruct"); a quantized
  /// repository that has no entry of its own is its base model in the precision that its name tells
  /// (repository_name.hpp), and a fine-tune is the model whose name it bears (tuned_name.hpp). The
  /// notes say so. An unknown name is answered with the nearest names.
  [[nodiscard]] Result<domain::Model> find(std::string_view name,
                                           FormatBy by = FormatBy::Checkpoint) const;
  /// A name that somebody typed: slips of the keyboard in a short one are put right (spelling.hpp),
  /// and Model::asked_as says so. One in a file has its place there to be mended at.
  [[nodiscard]] Result<domain::Model> find_typed(std::string_view name,
                                                 FormatBy by = FormatBy::Checkpoint) const;
  /// A name alone: what stands on disk is not looked at.
  [[nodiscard]] Result<domain::Model> find_name(std::string_view name) const;
  /// A path alone: a config.json, a folder with one, or a weight file.
  static Result<domain::Model> read(const std::string& path);
  /// Ids of all models, sorted.
  [[nodiscard]] std::vector<std::string> models() const;
  [[nodiscard]] Result<domain::Engine> engine(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> engines() const;
  /// How the engine of that id is started; nothing where no list of its flags is kept.
  [[nodiscard]] static std::optional<domain::EngineCommand> engine_command(std::string_view id);
  /// Every argument of the engine of that id; nothing where no list is kept.
  [[nodiscard]] static std::optional<domain::EngineArguments> engine_arguments(std::string_view id);

 private:
  struct OverlayFile {
    std::string id;
    std::vector<std::string> aliases;
    document::Document document;
  };

  [[nodiscard]] std::optional<Result<domain::Model>> find_entry(std::string_view name) const;
  using Compare = std::string (*)(std::string_view);
  [[nodiscard]] std::vector<std::string> mirrored_ids(const std::string& wanted,
                                                      Compare compare) const;
  [[nodiscard]] std::optional<Result<domain::Model>> find_mirrored(std::string_view name) const;
  [[nodiscard]] std::optional<Result<domain::Model>> find_quantized(std::string_view name) const;
  [[nodiscard]] std::optional<Result<domain::Model>> find_tuned(std::string_view name) const;
  [[nodiscard]] std::optional<Result<domain::Model>> find_respelled(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> format_suggestion(std::string_view name) const;
  [[nodiscard]] domain::Model of_any_publisher(domain::Model entry) const;
  [[nodiscard]] std::vector<EntryName> entry_names() const;
  [[nodiscard]] std::vector<std::string> model_names() const;

  std::vector<OverlayFile> overlay_models_;
  std::vector<OverlayFile> overlay_engines_;
};

}  // namespace gpushape::catalog
