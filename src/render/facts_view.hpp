// The facts an answer rests on, each marked "default" or "from …".
#pragma once

#include <vector>

#include "domain/advice.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// What was stated first, then what was defaulted with the flag that states it; defaults without a
/// reason of their own in one paragraph, unless Style::verbosity asks for all.
void show_facts(Page& page, const std::vector<domain::Assumption>& facts);

}  // namespace gpushape::render
