// The terms of a training run: the figure and the words of each, as terms.hpp has them for servers.
#pragma once

#include "domain/estimate.hpp"
#include "estimate/spread.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate::training {

Spread weights_bytes(const Situation& situation);
void describe_weights(const Situation& situation, domain::Term& term);

Spread adapters_bytes(const Situation& situation);
void describe_adapters(const Situation& situation, domain::Term& term);
bool trains_adapters(const Situation& situation);

Spread gradients_bytes(const Situation& situation);
void describe_gradients(const Situation& situation, domain::Term& term);

Spread optimizer_bytes(const Situation& situation);
void describe_optimizer(const Situation& situation, domain::Term& term);
bool keeps_states(const Situation& situation);
/// States of one GPU wherever they lie: what an offload puts into host memory.
Spread states_bytes(const Situation& situation);

Spread activation_bytes(const Situation& situation);
void describe_activation(const Situation& situation, domain::Term& term);

Spread fragmentation_bytes(const Situation& situation);
void describe_fragmentation(const Situation& situation, domain::Term& term);

/// Buffers of what GPUs exchange: gathered weights, buckets of gradients.
Spread buffers_bytes(const Situation& situation);
void describe_buffers(const Situation& situation, domain::Term& term);
bool shares_data(const Situation& situation);
bool several_gpus(const Situation& situation);

/// Weights that are trained, on this GPU before ZeRO deals them out.
double trained_values(const Situation& situation);
/// Weights of the base model, on this GPU before ZeRO deals them out.
double base_values(const Situation& situation);
/// Copies of the trained weights that one step of the optimizer makes for a moment.
Spread step_scratch(const Situation& situation);

}  // namespace gpushape::estimate::training
