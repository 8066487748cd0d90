#include "estimate/pipeline.hpp"

#include <cstddef>

namespace gpushape::estimate {

std::vector<Stage> cut_into_stages(std::int64_t layers, std::int64_t stages, Remainder remainder) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(stages), layers / stages);
  const auto rest = static_cast<std::size_t>(layers % stages);
  if (remainder == Remainder::Last) {
    counts.back() += static_cast<std::int64_t>(rest);
  } else {  // rest < stages: there is always a stage to the left of the last
    for (std::size_t i = 0; i < rest; ++i) ++counts[counts.size() - 2 - i];
  }
  std::vector<Stage> result;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool is_last = i + 1 == counts.size();
    result.push_back({.index = static_cast<std::int64_t>(i),
                      .first_layer = first,
                      .layers = counts[i],
                      .has_embedding = i == 0,
                      .has_head = is_last});
    first += counts[i];
  }
  return result;
}

}  // namespace gpushape::estimate
