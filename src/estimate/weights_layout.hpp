// The tensors that one rank holds after loading, fused the way engines fuse them.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "domain/model.hpp"
#include "domain/quantization.hpp"
#include "estimate/pipeline.hpp"

namespace gpushape::estimate {

/// How the weights of a model are held in memory, on every rank alike.
struct WeightsLayout {
  domain::WeightScheme scheme = {};  ///< of the linear layers
  std::int64_t dtype_bytes = 2;      ///< of everything else: the model's dtype
  bool head_quantized = false;
  bool static_activation_scales = false;
  std::int64_t tensor_parallel = 1;
  std::int64_t attention_scalars = 0;  ///< scale factors that each attention layer registers
  std::int64_t vocabulary_unit = 64;   ///< vocabulary rows are padded to a multiple of it
};

/// Byte counts of the tensors of one stage on one rank.
struct LoadedWeights {
  Bytes tensors;    ///< as they are
  Bytes rotary;     ///< tables of the rotary embeddings
  Bytes allocated;  ///< as the framework's allocator counts them
};

LoadedWeights load_weights(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage);

/// Rows of the embedding after padding, of all ranks together.
std::int64_t padded_vocabulary(const domain::Model& model, const WeightsLayout& layout);
/// KV heads that one rank holds: shared out, or one copied to several ranks.
std::int64_t kv_heads_on_rank(const domain::Attention& attention, std::int64_t tensor_parallel);

}  // namespace gpushape::estimate
