// DSpark: draft layers that lie in the checkpoint of the model itself, attend to windows alone and
// see the states of several of the model's layers. Source: vLLM
// models/deepseek_v4/nvidia/dspark.py.
#pragma once

#include <optional>

#include "catalog/families/config_parts.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// One layer like `layer` for each of `dspark_target_layer_ids`, with the projection of their
/// states, the head that conditions a token on the one before it and that of its confidence;
/// nothing where the config lists none. Experts may be fewer (`dspark_n_routed_experts`).
std::optional<domain::MultiTokenPrediction> read_dspark(const ConfigParts& parts,
                                                        domain::Layer layer);

}  // namespace gpushape::catalog
