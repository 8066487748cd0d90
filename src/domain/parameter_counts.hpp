// The totals that a model is published with, from its architecture and its formats.
#pragma once

#include "domain/model.hpp"

namespace gpushape::domain {

/// Fills Model::parameters but `stored`, once layers, formats and exceptions stand.
void count_all_parameters(Model& model);

}  // namespace gpushape::domain
