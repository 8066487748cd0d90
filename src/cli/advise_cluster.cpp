#include "cli/advise_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "place/decide.hpp"
#include "place/demand.hpp"
#include "place/fragmentation.hpp"

namespace gpushape::cli {
namespace {

constexpr std::string_view kRule = "cluster";
constexpr std::size_t kMostLeft = 6;  // ours: what a line holds; `place` lists all

std::string refusal_text(const domain::PlacementDecision& decision) {
  std::map<domain::Refusal, std::size_t> counts;
  for (const domain::PlacementAttempt& attempt : decision.attempts) {
    for (const domain::RefusedHost& host : attempt.refused) ++counts[host.refusal];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& row) { return row.second; });
  if (most == counts.end()) return "there is no host";
  for (const domain::PlacementAttempt& attempt : decision.attempts) {
    for (const domain::RefusedHost& host : attempt.refused) {
      if (host.refusal != most->first) continue;
      return fmt::format("rule '{}' removes {} of {} hosts; {}: wanted {}, found {}",
                         name_of(most->first), most->second,
                         attempt.refused.size() + attempt.candidates.size(), host.host, host.wanted,
                         host.found);
    }
  }
  return std::string(name_of(most->first));
}

/// "40C 6 -> 5, 80C 3 -> 2".
std::string left_text(const domain::PlacementDecision& last,
                      const domain::PlacementDecision& first) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < first.slots.size() && i < last.slots.size(); ++i) {
    const std::int64_t before = first.slots[i].before;
    const std::int64_t after = last.slots[i].after;
    if (before == after || parts.size() == kMostLeft) continue;
    parts.push_back(fmt::format("{} {} -> {}", first.slots[i].shape, before, after));
  }
  if (parts.empty()) return "takes no slot of any expected shape";
  return fmt::format("leaves {}", fmt::join(parts, ", "));
}

/// Whether the shape finds a place now, told among its reasons.
bool hold_against(domain::RankedShape& ranked, const place::Snapshot& snapshot,
                  const place::DecideInput& input) {
  domain::ResourceContract contract = ranked.contract;
  contract.alternatives.clear();
  place::Snapshot next = snapshot;
  const std::vector<domain::PlacementDecision> decisions = place::decide(next, contract, input);
  const bool is_placed =
      !decisions.empty() && std::ranges::all_of(decisions, &domain::PlacementDecision::is_placed);
  if (!is_placed) {
    const std::string why =
        decisions.empty() ? std::string("it asks for nothing") : refusal_text(decisions.back());
    ranked.reasons.push_back(
        {.rule = std::string(kRule), .says = fmt::format("finds no place now: {}", why)});
    return false;
  }
  const place::Request request =
      snapshot.compile(place::request_of(contract, contract.shape, input.devices));
  const place::Distribution one = {{.probability = 1, .request = request}};
  const std::int64_t copies = place::fragmentation_of(snapshot, one).shapes.front().slots;
  const domain::PlacementDecision& first = decisions.front();
  ranked.reasons.push_back(
      {.rule = std::string(kRule),
       .says = fmt::format("finds a place {} now, the first on {} ({}); {}",
                           copies == 1 ? std::string("once") : fmt::format("{} times", copies),
                           first.chosen->host, fmt::join(first.gpu_ids, ", "),
                           left_text(decisions.back(), first))});
  return true;
}

}  // namespace

std::optional<domain::Host> server_with(const LoadedCluster& loaded, const std::string& device) {
  const auto host = std::ranges::find_if(loaded.cluster.hosts, [&](const auto& row) {
    return row.hardware.has_value() &&
           std::ranges::any_of(row.gpus, [&](const auto& gpu) { return gpu.device == device; });
  });
  if (host == loaded.cluster.hosts.end()) return std::nullopt;
  domain::Host server = *host->hardware;
  server.name = host->name;
  server.source = loaded.cluster.source;
  server.gpus.clear();
  for (const domain::Gpu& gpu : host->gpus) {
    server.gpus.push_back({.id = gpu.id,
                           .device = gpu.device,
                           .numa_node = gpu.numa_node.value_or(0),
                           .link_domain = -1,
                           .pcie_switch = {}});
  }
  // The largest groups of linked GPUs that do not overlap.
  std::vector<domain::LinkDomain> domains = host->link_domains;
  std::ranges::stable_sort(domains, std::ranges::greater{},
                           [](const domain::LinkDomain& domain) { return domain.gpus.size(); });
  int number = 0;
  for (const domain::LinkDomain& domain : domains) {
    const auto link_of = [&](int gpu) -> int& {
      return server.gpus[static_cast<std::size_t>(gpu)].link_domain;
    };
    if (std::ranges::any_of(domain.gpus, [&](int gpu) { return link_of(gpu) >= 0; })) continue;
    for (const int gpu : domain.gpus) link_of(gpu) = number;
    ++number;
  }
  return server;
}

void rank_by_cluster(domain::Advice& advice, const LoadedCluster& loaded) {
  const place::Snapshot snapshot(loaded.cluster, loaded.devices);
  const place::Expected expected = place::expected_requests(loaded.cluster, loaded.devices);
  const place::DecideInput input{.devices = loaded.devices,
                                 .expected = expected,
                                 .policy = place::policies().front(),
                                 .weights = place::goodness_presets().front()};
  std::vector<std::pair<bool, domain::RankedShape>> held;
  held.reserve(advice.shapes.size());
  for (domain::RankedShape& shape : advice.shapes) {
    const bool is_placed = hold_against(shape, snapshot, input);
    held.emplace_back(is_placed, std::move(shape));
  }
  std::ranges::stable_sort(held, {}, [](const auto& row) {
    return std::pair(row.second.fits_at == domain::FitsAt::None, !row.first);
  });
  advice.shapes.clear();
  for (auto& [is_placed, shape] : held) advice.shapes.push_back(std::move(shape));
}

}  // namespace gpushape::cli
