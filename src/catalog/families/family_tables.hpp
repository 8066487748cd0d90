// The rows of all families, in tables by what they are; families() joins them.
#pragma once

#include <span>

#include "catalog/families.hpp"

namespace gpushape::catalog {

std::span<const Family> decoders();
std::span<const Family> mixtures();
std::span<const Family> hybrids();
std::span<const Family> composites();
std::span<const Family> encoders();

}  // namespace gpushape::catalog
