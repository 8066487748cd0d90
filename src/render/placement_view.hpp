// A Placement as text that a DRS administrator recognises: hosts considered, removed and why,
// goodness by part, policy effect, device chosen, what the choice removes.
#pragma once

#include <string>

#include "domain/placement.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

std::string placement_text(const domain::Placement& placement, const Style& style);

/// The answer in one line for each contract.
std::string placement_verdict(const domain::Placement& placement);

}  // namespace gpushape::render
