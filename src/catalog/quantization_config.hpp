// How a checkpoint says that it is quantized: the `quantization_config` of a config.json, or
// ModelOpt's hf_quant_config.json.
#pragma once

#include <optional>
#include <string>

#include "document/reader.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

struct StoredPrecision {
  domain::WeightFormat weights;  ///< `other` is left to the caller
  std::optional<domain::KvCacheType> kv_cache;
  std::string note;  ///< what the model's notes must say; empty for nothing
};

/// `reader` stands on the mapping; what is not understood is complained of there.
StoredPrecision read_quantization_config(document::Reader& reader);

}  // namespace gpushape::catalog
