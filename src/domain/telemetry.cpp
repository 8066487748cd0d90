#include "domain/telemetry.hpp"

#include <algorithm>
#include <cmath>

namespace gpushape::domain {

double quantile_of(const std::vector<double>& ascending, double level) {
  const auto count = static_cast<double>(ascending.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(level * count - 1e-9)));
  return ascending[std::min(rank, ascending.size()) - 1];
}

}  // namespace gpushape::domain
