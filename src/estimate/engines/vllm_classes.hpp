// What some of vLLM's classes for a family of models do with their tensors that the checkpoint does
// not tell: what stands on every pipeline stage, tables that are made twice or once a layer, wider
// routers.
#pragma once

#include "domain/model.hpp"
#include "estimate/facts.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate::engines {

void take_class(const domain::Model& model, const Facts& facts, WeightsLayout& layout);

}  // namespace gpushape::estimate::engines
