// Fail-over capacity that an admission would use up: which failures were covered before it and are
// not after.
#pragma once

#include <string>
#include <vector>

#include "place/failover.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

struct Uncovered {
  std::vector<std::size_t> hosts;  ///< that fail at once
  Answer answer = Answer::No;      ///< no, or not known within the search's bound
};

/// Ours: sets of failing hosts that are looked at; more of them are a question for a longer run.
inline constexpr std::size_t kMostFailures = 2000;

/// Whether every VM of these hosts restarts elsewhere when they fail at once. No where one of them
/// is bound to a device.
Answer is_covered(const Snapshot& snapshot, const std::vector<std::size_t>& hosts);

/// Failures of `count` hosts at once that `before` covers and `after` does not.
std::vector<Uncovered> newly_uncovered(const Snapshot& before, const Snapshot& after,
                                       std::size_t count);

}  // namespace gpushape::place
