// The first lines of an answer: what it is about.
#pragma once

#include "domain/estimate.hpp"
#include "render/page.hpp"

namespace gpushape::render {

void show_title(Page& page, const domain::Estimate& estimate);

}  // namespace gpushape::render
