// The form of catalog/models/<org>--<name>.yaml, which a user's overlay shares, and its reader.
//
//   id: meta-llama/Llama-3.1-8B-Instruct
//   aliases: [llama-3.1-8b-instruct, llama-3.1-8b]
//   family: llama                       # Hugging Face model_type
//   architecture: LlamaForCausalLM      # Hugging Face class
//   facts:                              # grouped by where they are from; each fact stands once
//     - source: config.json of the repository
//       layers: 32
//       hiddenSize: 4096
//       attentionHeads: 32
//       kvHeads: 8
//       feedForwardWidth: 14336
//       vocabulary: 128256
//       contextTokens: 131072           # the longest context, with the rope's scaling
//       tiedEmbeddings: false
//       rope: {theta: 500000, scaling: llama3, factor: 8, originalContextTokens: 8192}
//       dtype: bf16                     # of what is not quantized
//     - source: the default of the llama family
//       headDim: 128
//       qkvBias: false
//     - source: Hugging Face Hub, safetensors metadata
//       parameters: 8030261248          # must be what the architecture gives
//
// Further facts: outputBias, queryKeyNorm, feedForwardBias (false where absent), head (false for a
// checkpoint without one), slidingWindow {tokens, firstLayer}, quantization {scheme, kept, group,
// zeroPoints, headQuantized, staticActivationScales}, kvCacheType, storedParameters, role; and
// beside `facts`, `notes`: differences from published figures, explained.
#pragma once

#include <string>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `origin` becomes the model's origin: "catalog" or "overlay".
Result<domain::Model> read_model(const document::Document& document, std::string origin);

}  // namespace gpushape::catalog
