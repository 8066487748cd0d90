// The chosen settings as the engine's own command line spells them.
#pragma once

#include <string>
#include <string_view>

#include "domain/advice.hpp"

namespace gpushape::render {

/// Empty where the engine has no flag for any of them.
std::string engine_flags(const domain::RankedShape& ranked, std::string_view engine);

}  // namespace gpushape::render
