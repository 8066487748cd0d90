// The images of a request: tokens of its context, and of its cache.
#pragma once

#include <cstdint>

#include "base/diagnostic.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"

namespace gpushape::estimate {

/// Tokens that the largest image becomes; 0 where the model takes none, or it is not known.
std::int64_t image_tokens(const domain::Model& model);

/// How many of the decoder's layers get an encoder's further outputs beside their tokens
/// (DeepStack: Qwen3-VL, Granite 4 Vision). Source: domain::Tower::fed_layers.
std::int64_t fed_layers(const domain::Model& model);

/// Adds the tokens of a request's images to its context, where both are given. Once: the context
/// is then that of text and images.
Diagnostics add_images(domain::Workload& workload, const domain::Model& model);

}  // namespace gpushape::estimate
