// Parts of a model that its config names by the ids of other models, rather than describes.
#pragma once

#include <optional>

#include "catalog/fields.hpp"
#include "domain/model.hpp"

namespace gpushape::catalog {

/// The built-in model that `text_model_id` names becomes the decoder of `model`. A complaint where
/// there is none of that name.
void take_named_decoder(const Fields& root, domain::Model& model);

/// The encoder of the built-in model that `audio_model_id` names; nothing, after a complaint where
/// a name is given, where there is none.
std::optional<domain::Tower> named_encoder(const Fields& root);

}  // namespace gpushape::catalog
