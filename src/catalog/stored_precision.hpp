// How a checkpoint says that it is quantized: the `quantization_config` of a config.json, or
// ModelOpt's hf_quant_config.json beside it, as a model's WeightFormat.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/config.hpp"
#include "document/reader.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

struct StoredPrecision {
  domain::WeightFormat weights;  ///< `other` is left to the caller
  std::optional<domain::KvCacheType> kv_cache;
  std::vector<std::string> notes;    ///< what the model's notes must say
  std::optional<Diagnostic> unread;  ///< its method is not understood
};

/// The `quant_method`s that have fields of their own: all of them words of --quant, or words that
/// tell no precision alone.
std::vector<std::string_view> quantization_methods();

/// `reader` stands on the mapping; what is not understood is complained of there, but for a method
/// (StoredPrecision::unread).
StoredPrecision read_quantization_config(document::Reader& reader);

/// Everything a config says of its precision, into `model` (its `weights.other` stays): the
/// quantization_config of the config or of its text part (`text`; null for none), the type of
/// routed experts, and where both are silent the side file (null for none). `by`: config.hpp.
void read_stored_precision(document::Reader& config, document::Reader* text,
                           const document::Document* side_file, FormatBy by, domain::Model& model);

}  // namespace gpushape::catalog
