// Which block type each tensor of a GGUF file gets when llama.cpp's quantize makes it: a mix names
// the type of most tensors, and rules give others more or fewer bits, by what they do, by layer and
// by the model's shape. Source: llama.cpp src/llama-quant.cpp (llama_tensor_get_type_impl,
// tensor_type_fallback, tensor_allows_quantization).
#pragma once

#include <cstdint>
#include <string_view>

#include "domain/model.hpp"
#include "domain/quantization.hpp"
#include "domain/tensors.hpp"

namespace gpushape::estimate::ggml {

/// A GGUF type or mix, or plain 16 or 32 bits: what llama.cpp's quantize can be asked for.
bool is_file_type(domain::Quantization quantization);

/// A publisher's recipe by model ("ud-q4_k_xl"): sized as the mix that it is nearest to.
bool is_recipe(domain::Quantization quantization);

/// Whether files of the family keep queries, keys and values in one tensor.
bool keeps_heads_together(const domain::Model& model);

/// What a tensor does, as far as the mixes tell tensors apart.
enum class Duty : std::uint8_t {
  Embedding,
  Head,
  Query,
  Key,
  Value,  ///< also what holds values beside other things
  AttentionOutput,
  Up,
  Gate,
  Down,
  Other,
  Exact  ///< vectors, routers, convolutions: 32 bits
};
Duty duty_of(const domain::Tensor& tensor);

/// What the rules look at in a model.
struct MixedModel {
  std::int64_t layers = 0;
  std::int64_t value_layers = 0;  ///< that have a tensor of values
  std::int64_t query_groups = 1;  ///< query heads to a KV head
  std::int64_t experts = 0;
  bool is_70b = false;
  bool is_tied = false;
  bool is_falcon = false;
  bool has_heads_together = false;  ///< keeps_heads_together
};
MixedModel mixed_model(const domain::Model& model);

struct TensorPlace {
  std::int64_t layer = 0;
  std::int64_t value_index = 0;  ///< of the layers that have a tensor of values
  std::int64_t columns = 0;      ///< values of a row
  bool is_expert = false;
  bool is_mxfp4_expert = false;  ///< the checkpoint holds it in MXFP4
};

/// The type that the tensor is stored in: a block type, or Fp16 or Fp32.
domain::Quantization type_in_mix(domain::Quantization asked, Duty duty, const TensorPlace& place,
                                 const MixedModel& model);

}  // namespace gpushape::estimate::ggml
