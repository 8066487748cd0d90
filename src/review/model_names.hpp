// The model behind what a command line says of it where that is no name of a catalog: a path of a
// mounted volume, an address in a store, a name that clients see.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "review/engine_call.hpp"

namespace gpushape::review {

struct NamedModel {
  std::string name;        ///< as the catalog finds it
  bool is_stated = false;  ///< the path itself says owner and name: the cache of the hub, hf://
  std::string from;        ///< "the path '/models/Llama-3.1-8B-Instruct'"
};

/// Nothing where no model is named, or no one alone. What lies on a disk is not looked at.
std::optional<NamedModel> model_behind(const EngineCall& call, const catalog::Catalog& catalog);

/// "models--meta-llama--Llama-3.1-8B-Instruct" anywhere in a path, or hf://OWNER/NAME; empty where
/// neither is there.
std::string hub_name_in(std::string_view path);

}  // namespace gpushape::review
