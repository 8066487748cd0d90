// Model::exceptions under construction: what each layer says of each tensor, in as few exceptions
// as say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/model.hpp"
#include "domain/tensors.hpp"

namespace gpushape::domain {

/// The scheme of a tensor by WeightFormat::linear, ::other and ::head_quantized alone.
WeightScheme usual_scheme(const WeightFormat& weights, const Tensor& tensor);

class TensorExceptions {
 public:
  /// Forgets the exceptions that the model has.
  explicit TensorExceptions(Model& model) : model_(model) { model.exceptions.clear(); }

  /// In the order of the layers, each layer's tensors once. Layers that have no such tensor do not
  /// come between.
  void add(const Tensor& tensor, std::int64_t layer, bool is_multi_token,
           const WeightScheme& scheme);

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Story {
    std::string_view tensor;
    bool is_multi_token = false;
    std::size_t open = kNone;  ///< the exception that goes on
  };

  Story& story_of(std::string_view tensor, bool is_multi_token);

  Model& model_;
  std::vector<Story> stories_;
};

}  // namespace gpushape::domain
