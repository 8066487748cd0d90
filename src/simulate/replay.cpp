#include "simulate/replay.hpp"

#include <algorithm>
#include <utility>

#include "place/host_filters.hpp"

namespace gpushape::simulate {

domain::Refusal furthest_refusal(const place::Snapshot& snapshot, const place::Request& request) {
  domain::Refusal furthest = domain::Refusal::HostDown;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (const auto refusal = place::refusal_of(snapshot, host, request)) {
      furthest = std::max(furthest, *refusal);
    }
  }
  return furthest;
}

Replay replay(place::Snapshot snapshot, std::span<const Event> events,
              const place::Distribution& distribution, const place::PolicyRow& policy) {
  Replay result{
      .log = {}, .placed = 0, .rejected = 0, .rejected_by = {}, .last = std::move(snapshot)};
  result.log.reserve(events.size());
  for (const Event& event : events) {
    LogEntry entry;
    if (!event.is_arrival) {
      entry.outcome = result.last.remove(event.vm) ? Outcome::Departed : Outcome::Absent;
      result.log.push_back(entry);
      continue;
    }
    const place::Request request = result.last.compile(event.request);
    if (const auto choice = place::choose(result.last, request, distribution, policy)) {
      entry.host = choice->host;
      entry.option = choice->option;
      result.last.place(event.vm, request, choice->host, choice->option);
      ++result.placed;
    } else {
      entry.outcome = Outcome::Rejected;
      entry.refusal = furthest_refusal(result.last, request);
      ++result.rejected;
      ++result.rejected_by[entry.refusal];
    }
    result.log.push_back(entry);
  }
  return result;
}

}  // namespace gpushape::simulate
