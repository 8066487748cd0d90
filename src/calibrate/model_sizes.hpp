// The sizes of a model, as llama.cpp prints what its file states of the network: a fine-tune or a
// merge has those of what it was made from, so that it takes as much memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpushape::calibrate {

/// As far as they are printed.
struct ModelSizes {
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> hidden_size;
  std::optional<std::int64_t> feed_forward_width;
  std::optional<std::int64_t> heads;
  std::optional<std::int64_t> kv_heads;
  std::optional<std::int64_t> experts;
  std::optional<std::int64_t> vocabulary;
  std::optional<double> parameters;

  bool operator==(const ModelSizes&) const = default;
};

/// Takes what the line says of them: "- kv  10:  llama.embedding_length u32 = 4096", "n_vocab =
/// 32000", "model params = 6.74 B". Source: llama.cpp src/llama-model-loader.cpp,
/// src/llama-model.cpp (print_info).
void read_sizes(std::string_view line, ModelSizes& sizes);

}  // namespace gpushape::calibrate
