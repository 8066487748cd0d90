// A list of tensors under construction, and who adds what to it: one function for each part of a
// layer, in files of their own (attention_tensors.cpp …). Within domain only; tensors.hpp is the
// door.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/tensors.hpp"

namespace gpushape::domain {

class TensorList {
 public:
  TensorList() { tensors_.reserve(kUsual); }

  /// A matrix that quantization schemes apply to.
  Tensor& linear(std::string_view name, TensorPart part, std::int64_t rows, std::int64_t columns,
                 Split split, std::string_view fused = {}) {
    Tensor& added = matrix(name, part, rows, columns, split, fused);
    added.is_linear = true;
    return added;
  }
  /// A matrix that stays as it is: embeddings, convolutions, routers.
  Tensor& matrix(std::string_view name, TensorPart part, std::int64_t rows, std::int64_t columns,
                 Split split, std::string_view fused = {}) {
    tensors_.push_back({.name = name,
                        .part = part,
                        .rows = rows,
                        .columns = columns,
                        .split = split,
                        .fused = fused});
    return tensors_.back();
  }
  Tensor& vector(std::string_view name, TensorPart part, std::int64_t length,
                 Split split = Split::None, std::string_view fused = {}) {
    return matrix(name, part, length, 0, split, fused);
  }

  std::vector<Tensor> take() { return std::move(tensors_); }

 private:
  static constexpr std::size_t kUsual = 32;  ///< a layer's, of most models

  std::vector<Tensor> tensors_;
};

/// `is_cross`: the second attention of a decoder layer, on an encoder's output.
void add_attention(TensorList& list, const Attention& attention, std::int64_t hidden_size,
                   bool is_cross = false);
void add_recurrent(TensorList& list, const Recurrent& recurrent, std::int64_t hidden_size);
void add_feed_forward(TensorList& list, const FeedForward& feed_forward, std::int64_t hidden_size);

}  // namespace gpushape::domain
