// The tensors of a GGUF file as llama.cpp holds them: bytes of each layer, of the embedding and of
// what comes behind the last layer, in host memory and on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/model.hpp"
#include "domain/quantization.hpp"
#include "estimate/ggml/graph.hpp"

namespace gpushape::estimate::ggml {

struct HeldBytes {
  std::int64_t host = 0;
  std::int64_t device = 0;  ///< with what the back end adds

  bool operator==(const HeldBytes&) const = default;
};

struct FileWeights {
  HeldBytes embedding;  ///< stays with the host
  std::vector<HeldBytes> layers;
  HeldBytes behind;  ///< final norm and head
  /// Where embedding and head are one tensor, the device of the head has a copy of its own.
  HeldBytes tied_head;
  /// Of each layer, and of the head behind the last, as the file has them.
  std::vector<std::vector<StoredWeight>> matrices;
  HeldBytes other;  ///< of a header's tensors, what the architecture does not know

  [[nodiscard]] std::int64_t file_bytes() const;
};

/// Rows of quantized tensors are padded on the device to a multiple of this. Source: MATRIX_ROW_
/// PADDING in llama.cpp ggml/src/ggml-cuda/common.cuh.
inline constexpr std::int64_t kRowPadding = 512;

/// As the file's header says where `mix` is empty, else as quantize would make it.
FileWeights file_weights(const domain::Model& model, std::optional<domain::Quantization> mix,
                         bool pads_rows);

}  // namespace gpushape::estimate::ggml
