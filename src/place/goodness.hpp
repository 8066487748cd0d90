// How good a host is for a VM: named parts of 0 to 100, each with its weight and the fact behind
// it. A part that is not known takes no weight; the others share it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/placement.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct GoodnessRow {
  std::string_view name;
  std::string_view description;
  /// 0 to 1 after the placement; absent where not known.
  std::optional<double> (*value)(const Snapshot&, std::size_t host, const Request&, Option);
  std::string (*fact)(const Snapshot&, std::size_t host, const Request&, Option);
};

/// In display order.
std::span<const GoodnessRow> goodness_parts();

struct GoodnessWeights {
  std::string_view name;
  std::string_view description;
  /// One for each row of goodness_parts(); 0: not weighed.
  std::array<double, 7> weights;
};

/// Presets; the first one is the default.
std::span<const GoodnessWeights> goodness_presets();

/// 0 to 1, as the policies compare it: the weighed mean of the known parts, not rounded.
double goodness(const Snapshot& snapshot, std::size_t host, const Request& request, Option option,
                const GoodnessWeights& weights);

/// The same, part by part, 0 to 100.
std::vector<domain::GoodnessPart> explain_goodness(const Snapshot& snapshot, std::size_t host,
                                                   const Request& request, Option option,
                                                   const GoodnessWeights& weights);

}  // namespace gpushape::place
