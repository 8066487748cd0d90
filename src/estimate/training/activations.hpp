// What the forward pass keeps for the backward pass, layer by layer.
//
// Counted as frameworks keep it, in bytes for each token, with d the bytes of an activation, h the
// hidden size, q, k, v the widths of queries, keys and values, f the width of the feed-forward
// network:
//
//   norm       4 h (RMSNorm computes in 32 bits) or d h (LayerNorm)
//   attention  d (h + q + k + v + o), scores only without a flash kernel
//   gated      d (h + 4 f): input, gate, its activation, up, their product
//   plain      d (h + 2 f): input, activation's input and output
//
// Inputs of linear layers that are frozen and have no adapter are not kept. After Korthikanti et
// al., Reducing Activation Recomputation in Large Transformer Models
// (https://arxiv.org/abs/2205.05198, section 4), adapted to grouped queries, gates, RMSNorm, flash
// attention and experts.
#pragma once

#include "domain/model.hpp"
#include "estimate/adapter_slots.hpp"
#include "estimate/facts.hpp"
#include "estimate/pipeline.hpp"
#include "estimate/spread.hpp"
#include "estimate/training/training_plan.hpp"

namespace gpushape::estimate {

/// What the arithmetic needs to know beside the layer.
struct ActivationBasis {
  const domain::Model* model = nullptr;
  const TrainingPlan* training = nullptr;
  const Facts* facts = nullptr;
  AdapterSlots adapters;
  double tensor_parallel = 1;
  double adapter_inputs = 0;  ///< of the layer (CountedValues)
};

/// Bytes of one token in one layer when everything is kept.
Spread kept_whole(const ActivationBasis& basis, const domain::Layer& layer);
/// The same under the plan's checkpointing.
Spread kept(const ActivationBasis& basis, const domain::Layer& layer);
/// Bytes of one token that the backward pass of one layer needs beside what is kept.
double working(const ActivationBasis& basis, const domain::Layer& layer);

}  // namespace gpushape::estimate
