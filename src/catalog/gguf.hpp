// GGUF files (llama.cpp, ollama): key-values and tensor descriptions at the head of the file, which
// say the architecture and the type of every tensor. Weights are not read.
//
// Versions 2 and 3, little endian, in one file or split. Source: the format's description,
// ggml-org/ggml docs/gguf.md; sizes of the block types: ggml-common.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "catalog/tensor_listing.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// An array of whole numbers or of truth values is kept up to a length; of any other array the
/// length alone.
struct GgufArray {
  std::uint64_t length = 0;
  std::vector<std::int64_t> numbers;
};
using GgufValue = std::variant<std::int64_t, double, std::string, GgufArray>;

struct GgufFile {
  int version = 3;
  std::map<std::string, GgufValue, std::less<>> values;
  TensorListing listing;  ///< rows, columns: of the slowest dimension and of the others
  /// Dimensions of each tensor of the listing, the fastest first ([inputs, outputs, experts]).
  std::vector<std::array<std::int64_t, 4>> dimensions;

  [[nodiscard]] const GgufValue* find(std::string_view key) const;
};

/// `head` is the beginning of a file of `file_bytes`, long enough to hold keys and descriptions.
/// `file` names it in messages; `is_short` is set where `head` alone is too short.
Result<GgufFile> read_gguf_head(std::string_view head, std::uint64_t file_bytes,
                                const std::string& file, bool& is_short);

/// A file; the first of a split model stands for all of its files, which must lie beside it.
Result<GgufFile> read_gguf(const std::string& path);

/// The model that a file describes, its weights to the byte. An architecture whose tensors are not
/// understood is refused, with their names.
Result<domain::Model> gguf_model(const GgufFile& gguf, const std::string& id);
Result<domain::Model> read_gguf_model(const std::string& path);

}  // namespace gpushape::catalog
