// How publishers of quantized repositories quantize, where it is known whole.
#include <array>
#include <span>

#include "catalog/repository_name.hpp"

namespace gpushape::catalog {

std::span<const RepositorySuffix> publisher_recipes() { return {}; }

}  // namespace gpushape::catalog
