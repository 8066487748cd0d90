// A Hugging Face config.json, and what may lie beside it, as a Model.
//
// Understood are the families of families.hpp. A field that is absent takes the default of its
// family, and the model's sources say so; a field that would change the memory of a model in a way
// that is not understood here is an error, never silence. Fields that no memory depends on are
// passed over.
#pragma once

#include <string>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `id` names the model. `side_file` is the hf_quant_config.json of a ModelOpt checkpoint, read
/// where the config has no quantization_config of its own; null for none.
Result<domain::Model> read_config(const document::Document& config, const std::string& id,
                                  const document::Document* side_file = nullptr);

/// From a path: a config.json, or a folder with one. A hf_quant_config.json beside it is read too.
Result<domain::Model> read_config_path(const std::string& path);

}  // namespace gpushape::catalog
