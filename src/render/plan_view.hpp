// Plans for people: which few sizes serve a mix and how the GPUs lie, and the fewest hosts for it.
#pragma once

#include <string>
#include <vector>

#include "domain/host_plan.hpp"
#include "domain/profile_plan.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

/// Best first; the best one is drawn, the others are a line each.
std::string profile_plans_text(const std::vector<domain::ProfilePlan>& plans, const Style& style);

std::string host_plans_text(const std::vector<domain::HostPlan>& plans, const Style& style);

}  // namespace gpushape::render
