// A GPU for people: what it is, its profile table, and a picture of where its profiles may lie; and
// the answer whether a set of profiles is legal on it.
#pragma once

#include <string>

#include "domain/device.hpp"
#include "domain/profile_fit.hpp"
#include "render/formats.hpp"

namespace gpushape::render {

std::string device_text(const domain::Device& device, const Style& style);

/// With the entry that mig-parted reads, where the set is legal and of MIG instances.
std::string fit_text(const domain::ProfileFit& fit, const Style& style);

}  // namespace gpushape::render
