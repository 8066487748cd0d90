// The tensors of a checkpoint, as they follow from a model's architecture: what counts parameters,
// what an engine loads, what a quantization applies to, and what a safetensors header is held
// against.
//
// Names are those of Hugging Face checkpoints as far as modules go ("self_attn.q_proj",
// "mlp.experts.down_proj"), without the layer's prefix and without ".weight". A bias, a norm or a
// scalar is a vector: columns 0, its name ends in ".bias" or is its own. Parts of one checkpoint
// tensor that ranks share differently (a state space's in_proj) have the same name. Logical: a tied
// head is not listed, scales of quantized formats are not, buffers are not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/model.hpp"
#include "domain/tensor_part.hpp"

namespace gpushape::domain {

/// How the ranks of tensor parallelism share a tensor.
enum class Split {
  None,     ///< a copy on every rank
  Rows,     ///< outputs are dealt out (column parallel)
  Columns,  ///< inputs are dealt out (row parallel)
  KvRows,   ///< rows of whole KV heads: dealt out, a head copied where there are fewer than ranks
  Vocabulary,  ///< rows of the padded vocabulary
  Experts      ///< whole experts under expert parallelism; Rows or Columns of each otherwise
};

/// Counts end here.
inline constexpr std::int64_t kMostValues = 1'000'000'000'000'000'000;

struct Tensor {
  std::string_view name = {};
  TensorPart part = TensorPart::Other;
  std::int64_t rows = 0;     ///< outputs; the length of a vector
  std::int64_t columns = 0;  ///< inputs; 0 for a vector
  std::int64_t copies = 1;   ///< so many of these: experts
  Split split = Split::None;
  /// Of an expert's tensor, how tensor parallelism cuts it: Rows or Columns.
  Split expert_split = Split::None;
  /// Tensors of one layer with the same word lie in one allocation, in the order listed ("qkv",
  /// "gate_up"); empty for a tensor of its own.
  std::string_view fused = {};
  /// A linear layer, which a quantization scheme applies to unless the checkpoint excepts it.
  bool is_linear = false;
  bool is_float32 = false;  ///< kept in 32 bits whatever the model's dtype
  std::int64_t heads = 0;   ///< KvRows: KV heads that the rows belong to

  /// In all copies. Sizes that no model has end at kMostValues rather than beyond 64 bits.
  [[nodiscard]] std::int64_t values() const;
  bool operator==(const Tensor&) const = default;
};

/// Tensors of one layer, in the order in which engines create them. Names point into string
/// literals or into `layer` (extra tensors), which must outlive the result.
std::vector<Tensor> tensors_of(const Layer& layer, const Model& model);
/// Embedding, final norm, head, extra tensors of the model; not its layers, towers or multi-token
/// prediction.
std::vector<Tensor> outer_tensors(const Model& model);

/// Sum over everything that inference of the model itself loads: layers, outer tensors, towers.
/// Multi-token prediction is apart (Model::multi_token_prediction).
std::int64_t count_parameters(const Model& model);
/// Of these, all but towers, the experts that a token is not routed to, and tables that a layer
/// looks few rows up in (Qwen4-Exp's n-grams). Embedding and head count whole, as most publishers
/// count ("A22B").
std::int64_t count_active_parameters(const Model& model);
/// What the checkpoint holds for predicting further tokens; 0 for nothing.
std::int64_t count_multi_token_parameters(const Model& model);

}  // namespace gpushape::domain
