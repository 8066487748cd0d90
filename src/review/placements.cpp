#include "review/placements.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "place/decide.hpp"
#include "place/failover.hpp"

namespace gpushape::review {

namespace {

/// Contracts and replicas beyond this are a plan, not a review; ours.
constexpr std::int64_t kMostPlaced = 256;

std::vector<std::string> hosts_without_spare(
    const place::Snapshot& snapshot, const std::vector<domain::PlacementDecision>& decisions) {
  std::set<std::string> hosts;
  for (const domain::PlacementDecision& decision : decisions) {
    if (decision.chosen) hosts.insert(decision.chosen->host);
  }
  std::vector<std::string> without;
  for (const std::string& name : hosts) {
    const auto host = snapshot.find_host(name);
    if (!host) continue;
    const place::HostFailover failover = place::failover_of(snapshot, *host);
    if (failover.joint.answer == place::Answer::No || !failover.pinned.empty()) {
      without.push_back(name);
    }
  }
  return without;
}

}  // namespace

Placements place_contracts(const Deployment& deployment) {
  Placements placements;
  const domain::Cluster* cluster = deployment.cluster();
  if (cluster == nullptr) return placements;
  placements.cluster = cluster->name.empty() ? cluster->source : cluster->name;
  place::Snapshot snapshot(*cluster, deployment.request->devices);
  const place::Expected expected = place::expected_requests(*cluster, deployment.request->devices);
  const place::DecideInput input{.devices = deployment.request->devices,
                                 .expected = expected,
                                 .policy = place::policies().front(),
                                 .weights = place::goodness_presets().front()};
  std::int64_t placed = 0;
  for (AskedContract& asked : contracts_of(deployment)) {
    if (!asked.runs) continue;
    PlacedContract row{std::move(asked), {}, {}};
    if (row.asked.contract && placed < kMostPlaced) {
      row.asked.contract->replicas = std::min(row.asked.contract->replicas, kMostPlaced - placed);
      placed += row.asked.contract->replicas;
      row.decisions = place::decide(snapshot, *row.asked.contract, input);
    }
    placements.contracts.push_back(std::move(row));
  }
  for (PlacedContract& row : placements.contracts) {
    row.hosts_without_spare = hosts_without_spare(snapshot, row.decisions);
  }
  return placements;
}

const Placements& Deployment::placements() const {
  if (!placed) placed = std::make_shared<const Placements>(place_contracts(*this));
  return *placed;
}

}  // namespace gpushape::review
