// A Hugging Face config.json, and what may lie beside it, as a Model.
//
// Understood are the families of families.hpp. A field that is absent takes the default of its
// family, and the model's sources say so; a field that would change the memory of a model in a way
// that is not understood here is an error, never silence. Fields that no memory depends on are
// passed over.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// Who says how weights are quantized. Where the asker does, a checkpoint whose own way is not
/// understood is taken as the model before it was quantized, and a note says so; where the
/// checkpoint does, it is refused.
enum class FormatBy { Checkpoint, Asker };

/// `id` names the model. `side_file` is what ModelOpt (hf_quant_config.json), AutoGPTQ
/// (quantize_config.json) or AutoAWQ (quant_config.json) lays beside it, read where the config has
/// no quantization_config of its own; null for none.
Result<domain::Model> read_config(const document::Document& config, const std::string& id,
                                  const document::Document* side_file = nullptr,
                                  FormatBy by = FormatBy::Checkpoint);

/// What describes the model of a folder: config.json, else Mistral's params.json
/// (mistral_params.hpp); nothing where there is neither.
std::optional<std::filesystem::path> config_in(const std::filesystem::path& folder);

/// From a path: a config.json, a params.json, or a folder with one of them, and a side file that
/// lies beside it.
Result<domain::Model> read_config_path(const std::string& path, FormatBy by = FormatBy::Checkpoint);

}  // namespace gpushape::catalog
