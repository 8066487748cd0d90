// What the names of tensors share in every kind of checkpoint: words between dots, a suffix behind
// the module, and words that tell what a module is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/tensor_part.hpp"

namespace gpushape::catalog {

std::vector<std::string_view> split_words(std::string_view name);
std::string join_words(const std::vector<std::string_view>& words, std::size_t first,
                       std::size_t last);
/// A layer's or an expert's.
std::optional<std::int64_t> number_of(std::string_view word);

struct Suffix {
  std::size_t words = 0;         ///< behind the module
  std::string_view joined = {};  ///< to its last word
};
/// Of a name whose module begins at `first`, at the earliest.
Suffix suffix_of(const std::vector<std::string_view>& words, std::size_t first);

/// Of a module within a layer, in our words (domain/tensors.hpp).
domain::TensorPart layer_part(std::string_view module);
/// Of a module outside of layers.
domain::TensorPart outer_part(std::string_view module);

}  // namespace gpushape::catalog
