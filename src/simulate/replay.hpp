// Replays arrivals and departures through the placement core: the same policies, the same snapshot.
// Same events, same log.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/placement.hpp"
#include "domain/trace.hpp"
#include "place/fragmentation.hpp"
#include "place/policies.hpp"
#include "place/snapshot.hpp"

namespace gpushape::simulate {

using Event = domain::TraceEvent;

/// Departed: gave its place back. Absent: a departure of a VM that was never placed.
enum class Outcome { Placed, Rejected, Departed, Absent };

struct LogEntry {
  Outcome outcome = Outcome::Placed;
  std::size_t host = 0;
  place::Option option;
  /// Of a rejection: the reason of the host that got furthest in the list of filters.
  domain::Refusal refusal = domain::Refusal::HostDown;
};

struct Replay {
  std::vector<LogEntry> log;  ///< one for each event
  std::int64_t placed = 0;
  std::int64_t rejected = 0;
  std::map<domain::Refusal, std::int64_t> rejected_by;
  place::Snapshot last;
};

/// Of a request that no host takes: the reason of the host that got furthest in the list of
/// filters.
domain::Refusal furthest_refusal(const place::Snapshot& snapshot, const place::Request& request);

Replay replay(place::Snapshot snapshot, std::span<const Event> events,
              const place::Distribution& distribution, const place::PolicyRow& policy);

}  // namespace gpushape::simulate
