// Findings of a review for people: rule, place, excerpt with a caret, why and what to do.
#pragma once

#include <span>
#include <string>

#include "domain/review.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

/// Every finding in the form of the compilers, then one line that counts them by severity.
std::string findings_text(std::span<const domain::Finding> findings, const Style& style);

}  // namespace gpushape::render
