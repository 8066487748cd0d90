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
// Where layers differ, `layerTypes` says how, and `layers` in what order (entry_layer.hpp). Further
// facts of a layer, or of one of the types:
//   attention (full, sliding, chunked, latent, compressed, cross, recurrent, none), window,
//   valueHeadDim, keyHasBias, outputBias, headNorm, outputGate, sinks, valueIsKey, sharesCache,
//   encoderTokens, latent {queryRank, kvRank, ropeDim}, indexer {heads, headDim, topTokens,
//   shared}, compression {ratio, outputRank, outputGroups,
//   poolsGroups, shared}, recurrent {kind, …}, crossAttention
//   {…}, feedForwardGated, feedForwardBias, experts {count, active, width, sharedWidth, …}, norms,
//   normBias, layerTensors [{name, rows, columns, linear, float32, dealtOut}]
// and of a model:
//   role, head, finalNorm, finalNormBias, wholeItems, modelTensors, poolingValues, towers [{kind, …,
//   parameters, besideTotal, tableValues}], multiTokenPrediction {layers, tensors, holdsEmbedding},
//   furtherRopes, kvCacheType, quantization {scheme, kept, group, zeroPoints, headQuantized,
//   staticActivationScales, modules [{pattern, scheme}]}, storedParameters: what the checkpoint
//   holds, and storedParts [{part, dtype, tensors, values, bytes}]: to the byte, from its header.
// A part that the common layer has and a type does not is "none"; so is the rope of a model without
// one. Older words: queryKeyNorm: true is headNorm: shared, and slidingWindow {tokens, firstLayer}
// lets the layers from that one on slide.
//
// Beside `facts`: `sources` [{source, facts}], of what is said elsewhere ("family"), and `notes`:
// differences from published figures, explained.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "document/node.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// `origin` becomes the model's origin: "catalog" or "overlay".
Result<domain::Model> read_model(const document::Document& document, std::string origin);

/// Whether the source of an entry's `parameters` is a published count, rather than arithmetic on
/// the architecture: then the checkpoint holds as much.
bool is_published_count(std::string_view source);

}  // namespace gpushape::catalog
