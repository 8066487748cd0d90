// In which scheme a module is stored, told from the types and shapes of the tensors that it has in
// a header: the weight, and the scales, zero points and indices beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/tensor_listing.hpp"
#include "catalog/tensor_names.hpp"
#include "domain/model.hpp"
#include "domain/tensors.hpp"

namespace gpushape::catalog {

/// One tensor of a module, as far as its scheme depends on it.
struct StoredShape {
  const StoredType* type = nullptr;
  int rank = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t last = 1;

  [[nodiscard]] bool is_there() const { return type != nullptr; }
  [[nodiscard]] std::int64_t values() const { return rows * columns; }
  [[nodiscard]] std::string_view name() const { return type == nullptr ? "" : type->name; }
};

struct StoredModule {
  StoredShape weight;
  StoredShape packed;  ///< qweight, weight_packed, blocks
  StoredShape scale;
  StoredShape zeros;
  StoredShape order;  ///< g_idx
  bool has_tensor_scale = false;
  bool has_input_scale = false;
  bool is_nested = false;    ///< bitsandbytes: scales are quantized themselves
  std::int64_t weights = 0;  ///< tensors that are the weight itself: one, unless several go by one
                             ///< name
  std::int64_t experts = 0;  ///< of experts with tensors of their own, so many at least
  bool is_packed = false;    ///< has what only quantized modules have: by names alone
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;

  /// Takes a tensor whose name was taken apart.
  void take(const ListedTensor& tensor, const TensorName& name);
};

/// `tensor` gives the inputs that packed words hide; `other` is the type of what is plain. Nothing
/// where types and shapes are of no known scheme.
std::optional<domain::WeightScheme> scheme_of(const StoredModule& module,
                                              const domain::Tensor& tensor,
                                              domain::Quantization other);

/// MLX's own scheme of so many bits; nothing for those that other schemes have too (4 and 8).
std::optional<domain::Quantization> mlx_integers_of(std::int64_t bits);

}  // namespace gpushape::catalog
