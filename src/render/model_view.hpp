// A model for people: what it is, where its parameters are, each kind of layer with its tensors,
// what its cache takes, and where every fact is from.
#pragma once

#include <string>

#include "domain/model.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

std::string model_text(const domain::Model& model, const Style& style);

}  // namespace gpushape::render
