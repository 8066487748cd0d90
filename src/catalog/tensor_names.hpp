// The name of a checkpoint's tensor taken apart: which layer, which module in our words
// (domain/tensors.hpp), and what it is beside the weight itself: a scale, zero points, a bias.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/tensor_part.hpp"

namespace gpushape::catalog {

struct TensorName {
  enum class Scope { Outer, Layer, MultiToken, Tower };
  Scope scope = Scope::Outer;
  std::int64_t layer = -1;   ///< Layer, MultiToken
  std::string module;        ///< "mlp.experts.down_proj", "self_attn.q_proj.bias", "lm_head"
  std::int64_t expert = -1;  ///< of a routed expert that has tensors of its own
  std::string suffix;        ///< "weight", "weight_scale", "qzeros" …; empty for none
  domain::TensorPart part = domain::TensorPart::Other;
};

/// Of a safetensors checkpoint.
TensorName parse_tensor_name(std::string_view name);
/// Of a GGUF file ("blk.3.ffn_down_exps.weight").
TensorName parse_gguf_tensor_name(std::string_view name);

}  // namespace gpushape::catalog
