// Samples of one series in an answer of Prometheus: a `value` (query) or `values` (query_range),
// each of them [seconds, "value"].
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.hpp"
#include "domain/usage.hpp"

namespace gpushape::inventory {

/// Takes what is wrong with a node.
using Complain = std::function<void(const document::Node&, std::string)>;

/// In ascending order of time. A value below 0 or above `most` is complained of; a series that
/// ended has none.
std::vector<domain::UsageSample> samples_of(const document::Node& series, std::string_view metric,
                                            double most, const Complain& complain);

}  // namespace gpushape::inventory
