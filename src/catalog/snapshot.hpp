// A model from files: a folder that a repository was downloaded into, a config.json, a safetensors
// file or index, a GGUF file.
//
// Weights and config complete one another: the config says the architecture, the header what is
// really stored. A header without a config tells its weights to the byte, but neither heads nor
// context, so it is refused with what it does tell.
#pragma once

#include <string>

#include "base/result.hpp"
#include "catalog/config.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// What `path` leads to, in this order for a folder: config.json with the weights beside it
/// (model.safetensors.index.json, model.safetensors, another single safetensors file), one GGUF
/// model.
Result<domain::Model> read_source(const std::string& path, FormatBy by = FormatBy::Checkpoint);

}  // namespace gpushape::catalog
