// The first lines of an answer: what it is about.
#pragma once

#include <string>

#include "domain/estimate.hpp"
#include "render/page.hpp"

namespace gpushape::render {

/// That the model was asked for by a misspelled name; nothing where that is empty.
void show_slip(Page& page, const std::string& asked_as);

void show_title(Page& page, const domain::Estimate& estimate);

}  // namespace gpushape::render
