#include "place/reserve.hpp"

#include <algorithm>
#include <utility>

namespace gpushape::place {

namespace {

/// Sets of `count` hosts that are up, in order, as many as are looked at.
std::vector<std::vector<std::size_t>> failures_of(const Snapshot& snapshot, std::size_t count) {
  std::vector<std::size_t> up;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (snapshot.row(host).is_up) up.push_back(host);
  }
  std::vector<std::vector<std::size_t>> sets;
  if (count == 0 || count > up.size()) return sets;
  std::vector<std::size_t> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = i;
  while (sets.size() < kMostFailures) {
    std::vector<std::size_t>& set = sets.emplace_back();
    for (const std::size_t i : at) set.push_back(up[i]);
    std::size_t last = count;
    while (last > 0 && at[last - 1] == up.size() - count + last - 1) --last;
    if (last == 0) break;
    ++at[last - 1];
    for (std::size_t i = last; i < count; ++i) at[i] = at[i - 1] + 1;
  }
  return sets;
}

}  // namespace

Answer is_covered(const Snapshot& snapshot, const std::vector<std::size_t>& hosts) {
  Snapshot rest = snapshot;
  for (const std::size_t host : hosts) rest.take_down(host);
  std::vector<NamedRequest> moving;
  for (const auto& [name, placed] : snapshot.vms()) {
    if (std::ranges::find(hosts, placed.host) == hosts.end()) continue;
    if (placed.request.asked.is_static) return Answer::No;
    moving.push_back({.name = name, .request = placed.request});
  }
  for (const NamedRequest& named : moving) rest.remove(named.name);
  return place_all(rest, std::move(moving)).answer;
}

std::vector<Uncovered> newly_uncovered(const Snapshot& before, const Snapshot& after,
                                       std::size_t count) {
  std::vector<Uncovered> uncovered;
  for (std::vector<std::size_t>& hosts : failures_of(before, count)) {
    const Answer now = is_covered(after, hosts);
    if (now == Answer::Yes || is_covered(before, hosts) != Answer::Yes) continue;
    uncovered.push_back({.hosts = std::move(hosts), .answer = now});
  }
  return uncovered;
}

}  // namespace gpushape::place
