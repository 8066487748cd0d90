// The model that a start names: an id, a path under which it is kept, or a name with words behind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "calibrate/model_sizes.hpp"
#include "catalog/catalog.hpp"
#include "domain/model.hpp"

namespace gpushape::calibrate {

/// Where the name itself is none of the catalog, the parts of a path are tried, and the words
/// before brackets that hold a precision or a path ("Qwen3-30B-A3B (BF16)"). A name that ends in
/// its bits ("…-4bit") is a copy's in the format that the engine states, where `quantization` is
/// one of as many. The error is the catalog's.
Result<domain::Model> find_started_model(const std::string& stated, const catalog::Catalog& catalog,
                                         std::string_view quantization = {});

/// The model of the catalog with all of these sizes, of several the one whose vocabulary is
/// nearest; nothing where too few are known to tell models apart.
std::optional<domain::Model> find_model_of_sizes(const ModelSizes& sizes,
                                                 const catalog::Catalog& catalog);

}  // namespace gpushape::calibrate
