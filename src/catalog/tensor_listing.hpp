// What a weight file says it holds: the name, type, shape and bytes of every tensor, from the
// header of a safetensors or GGUF file, without the weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/quantization.hpp"

namespace gpushape::catalog {

/// A type that tensors are stored in.
struct StoredType {
  std::string_view name;  ///< as the file spells it
  int bits = 0;           ///< of one value; 0 where values come in blocks
  int block = 1;          ///< values of one block, and its bytes
  int block_bytes = 0;
  bool is_float = false;  ///< a plain floating-point type, not a packed one
  domain::Quantization plain = domain::Quantization::Bf16;  ///< of a plain or a GGUF type
};

struct ListedTensor {
  std::string name;
  const StoredType* type = nullptr;
  int rank = 0;
  std::int64_t rows = 1;     ///< the first dimension (outputs); 1 for a scalar
  std::int64_t columns = 1;  ///< the product of the others
  std::int64_t last = 1;     ///< the last dimension
  std::int64_t bytes = 0;

  [[nodiscard]] std::int64_t values() const { return rows * columns; }
};

struct TensorListing {
  std::string source;  ///< "model.safetensors", "the 4 files of model.safetensors.index.json" …
  std::vector<ListedTensor> tensors;
  std::int64_t bytes = 0;  ///< of all tensors
  bool is_gguf = false;    ///< names are those of llama.cpp
  /// What the file calls the whole, where most of its tensors need not be stored so.
  std::optional<domain::Quantization> named = {};
  /// Names without types and shapes: an index whose files are not there. `bytes` is its total then.
  bool has_names_only = false;
  std::vector<std::string> notes;
};

}  // namespace gpushape::catalog
