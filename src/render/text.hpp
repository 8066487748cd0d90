// Text for people, 80 columns: assumptions first, the verdict or the next command last.
#pragma once

#include <string>

#include "domain/advice.hpp"
#include "domain/estimate.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

std::string estimate_text(const domain::Estimate& estimate, const Style& style);
std::string advice_text(const domain::Advice& advice, const Style& style);

}  // namespace gpushape::render
