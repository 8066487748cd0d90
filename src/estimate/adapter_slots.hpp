// Slots for low-rank adapters: pairs of stacked matrices beside every linear layer of a rank.
//
// For each slot of rank r, a linear layer with `in` inputs and `out` outputs on this rank holds
// A (r x in) and B (out x r) in the model's dtype. Where the outputs are dealt out, A is copied
// and B is shared; where the inputs are, the other way round. Source: vLLM lora/layers
// (ColumnParallelLinearWithLoRA, RowParallelLinearWithLoRA, FusedMoEWithLoRA; before 0.11
// lora/layers.py).
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "domain/adapter.hpp"
#include "domain/model.hpp"
#include "domain/tensors.hpp"
#include "estimate/pipeline.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// What an engine makes room for.
struct AdapterSlots {
  std::int64_t count = 0;  ///< 0: none
  std::int64_t rank = 0;
  domain::AdapterModules modules = domain::AdapterModules::All;
  bool has_experts = false;          ///< routed experts have adapters, too
  bool has_vocabulary = false;       ///< embedding and head have them, too
  bool has_head_table = false;       ///< the head is the embedding, and is wrapped as one again
  std::int64_t extra_tokens = 0;     ///< rows that each slot may add to the vocabulary
  std::int64_t vocabulary_unit = 1;  ///< the head's outputs are padded to a multiple of it

  bool operator==(const AdapterSlots&) const = default;
};

struct AdapterBytes {
  std::int64_t values = 0;  ///< of all slots, on this rank
  Bytes tensors;
  Bytes allocated;  ///< as the framework's allocator counts them
};

/// Whether adapters go beside this tensor of a layer.
bool takes_adapter(const domain::Tensor& tensor, domain::AdapterModules modules, bool has_experts);

/// Tables of all tokens that a slot holds on one stage: of the embedding, of the head, and of a
/// head that is the embedding once more.
std::int64_t tables_of_slot(const domain::Model& model, const Stage& stage,
                            const AdapterSlots& slots);

/// Of the layers of one stage, and of embedding and head where it has them.
AdapterBytes adapter_bytes(const domain::Model& model, const WeightsLayout& layout,
                           const Stage& stage, const AdapterSlots& slots);

}  // namespace gpushape::estimate
