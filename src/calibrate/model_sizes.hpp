// A model told by its sizes: llama.cpp prints what the file states of the network, and a fine-tune
// or a merge has the sizes of what it was made from, so that it takes as much memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/catalog.hpp"
#include "domain/model.hpp"

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

/// The model of the catalog with all of these sizes, of several the one whose vocabulary is
/// nearest; nothing where too few are known to tell models apart.
std::optional<domain::Model> find_model_of_sizes(const ModelSizes& sizes,
                                                 const catalog::Catalog& catalog);

}  // namespace gpushape::calibrate
