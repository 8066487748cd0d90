// What the recommended size does to its device, beside the sizes next to it.
#pragma once

#include "domain/advice.hpp"
#include "render/page.hpp"

namespace gpushape::render {

void show_neighbours(Page& page, const domain::Advice& advice);

}  // namespace gpushape::render
