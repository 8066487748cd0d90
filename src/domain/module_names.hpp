// The full names that a tensor of a model goes by in the checkpoints of its publishers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/model.hpp"
#include "domain/tensors.hpp"

namespace gpushape::domain {

class ModuleNames {
 public:
  /// Reads which words the patterns of `model.weights` use: names are made in these only.
  explicit ModuleNames(const Model& model);

  /// "model.layers.3.mlp.gate", "model.layers.3.block_sparse_moe.gate" …; of experts the first and
  /// the matrix that all experts share.
  [[nodiscard]] std::vector<std::string> of(const Tensor& tensor, std::int64_t layer,
                                            bool is_multi_token) const;

 private:
  [[nodiscard]] bool is_used(std::string_view word) const;
  [[nodiscard]] std::vector<std::string> in_layer(const Tensor& tensor) const;

  std::string patterns_;  // all of them, one a line
  std::int64_t layers_ = 0;
  bool has_experts_beside_ = false;  ///< beside a dense network, not below it (Gemma 4)
  std::vector<std::string> prefixes_;
};

}  // namespace gpushape::domain
