// A model as a GGUF file of a type or mix holds it, for engines that load files of llama.cpp's kind
// tensor by tensor.
#pragma once

#include "domain/model.hpp"
#include "domain/quantization.hpp"

namespace gpushape::estimate::ggml {

/// The model with the type that llama.cpp's quantize gives each tensor as its exceptions; `mix` is
/// one that is_file_type. Vectors stay in the model's dtype, which engines turn them into.
domain::Model in_file_types(const domain::Model& model, domain::Quantization mix);

}  // namespace gpushape::estimate::ggml
