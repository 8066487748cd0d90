// The facts that an estimate rests on, each with where it is from: what "assumptions" lists when
// there is no advice around it.
#pragma once

#include <vector>

#include "domain/advice.hpp"
#include "domain/estimate.hpp"

namespace gpushape::schema {

/// In the order they are shown. Facts that are not known are left out.
std::vector<domain::Assumption> stated_facts(const domain::Estimate& estimate);

}  // namespace gpushape::schema
