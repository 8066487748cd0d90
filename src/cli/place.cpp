// gpushape place: where contracts land, why, and what that costs later requests.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "document/text_format.hpp"
#include "inventory/cluster_file.hpp"
#include "place/decide.hpp"
#include "place/reserve.hpp"
#include "render/formats.hpp"
#include "render/placement_view.hpp"
#include "schema/kinds.hpp"

namespace gpushape::cli {
namespace {

constexpr std::string_view kClusterOutput = "cluster";

Diagnostics check_place_outputs(const std::vector<std::string>& outputs) {
  std::vector<std::string> names;
  for (const render::FormatRow& row : render::formats()) names.emplace_back(row.name);
  names.emplace_back(kClusterOutput);
  for (const std::string& output : outputs) {
    if (std::ranges::find(names, output) != names.end()) continue;
    return {complaint(
        fmt::format("--output: '{}' is no format", output),
        suggestion(output, names, fmt::format("expected one of {}", fmt::join(names, ", "))))};
  }
  return {};
}

Piece piece_of(const std::string& output, const domain::Placement& placement,
               const place::Snapshot& snapshot, const std::string& cluster_name,
               const render::Style& style) {
  if (output == kClusterOutput) {
    domain::Cluster cluster = snapshot.cluster();
    cluster.name = cluster_name;
    return {"cluster", "yaml", document::write_yaml(inventory::to_node(cluster))};
  }
  const auto formats = render::formats();
  const auto row = std::ranges::find(formats, output, &render::FormatRow::name);
  return {"placement", output == "text" ? "txt" : output, row->placement(placement, style)};
}

/// For what finds no place: where a device that would do sits idle, cluster by cluster, and what
/// stands against the hosts that have it.
void note_elsewhere(domain::PlacementDecision& decision, const LoadedCluster& loaded,
                    const place::Snapshot& snapshot) {
  for (const ClusterPart& part : loaded.parts) {
    std::map<std::string, double> idle;
    std::set<std::string> holders;
    for (std::size_t host = part.first; host < part.first + part.hosts; ++host) {
      const place::HostRow& row = snapshot.row(host);
      if (!row.is_up) continue;
      for (std::size_t i = 0; i < row.gpus.size(); ++i) {
        const std::string& device = snapshot.host(host).gpus[i].device;
        const bool would_do = std::ranges::any_of(decision.attempts, [&](const auto& attempt) {
          const auto& devices = attempt.request.devices;
          return devices.empty() || std::ranges::find(devices, device) != devices.end();
        });
        const double share = snapshot.states().idle(row.gpus[i]);
        if (!would_do || share <= 0) continue;
        idle[device] += share;
        holders.insert(snapshot.host(host).name);
      }
    }
    if (idle.empty()) continue;
    std::map<domain::Refusal, std::vector<const domain::RefusedHost*>> reasons;
    for (const domain::PlacementAttempt& attempt : decision.attempts) {
      for (const domain::RefusedHost& host : attempt.refused) {
        if (holders.contains(host.host)) reasons[host.refusal].push_back(&host);
      }
    }
    std::vector<std::string> devices;
    devices.reserve(idle.size());
    for (const auto& [device, gpus] : idle) {
      devices.push_back(fmt::format("{:.2f} x {}", gpus, device));
    }
    std::string note = fmt::format("cluster {} has idle: {}", part.name, fmt::join(devices, ", "));
    const auto most =
        std::ranges::max_element(reasons, {}, [](const auto& row) { return row.second.size(); });
    if (most != reasons.end()) {
      const domain::RefusedHost& first = *most->second.front();
      note += fmt::format("; on {}{} rule '{}' stands against it: wanted {}, found {}", first.host,
                          most->second.size() == 1
                              ? std::string()
                              : fmt::format(" and {} more", most->second.size() - 1),
                          name_of(most->first), first.wanted, first.found);
    }
    decision.notes.push_back(std::move(note));
  }
}

std::string names_of(const place::Snapshot& snapshot, const std::vector<std::size_t>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const std::size_t host : hosts) names.push_back(snapshot.host(host).name);
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Takes the contract's instances back where a failure of `reserve` hosts that was covered is not
/// any more; the notes tell which.
void keep_reserve(place::Snapshot& snapshot, const place::Snapshot& before, std::int64_t reserve,
                  std::span<domain::PlacementDecision> decisions) {
  if (std::ranges::none_of(decisions, &domain::PlacementDecision::is_placed)) return;
  const std::vector<place::Uncovered> uncovered =
      place::newly_uncovered(before, snapshot, static_cast<std::size_t>(reserve));
  if (uncovered.empty()) return;
  snapshot = before;
  const place::Uncovered& first = uncovered.front();
  for (domain::PlacementDecision& decision : decisions) {
    if (!decision.is_placed()) continue;
    decision.notes.push_back(fmt::format(
        "--reserve-failover {}: with it on {}, {} if {} fails, and {} such failure{} covered "
        "without it; not placed",
        reserve, decision.chosen->host,
        first.answer == place::Answer::No ? "not every VM restarts"
                                          : "it is not known whether every VM restarts",
        names_of(snapshot, first.hosts), uncovered.size(),
        uncovered.size() == 1 ? " is" : "s are"));
    decision.chosen.reset();
    decision.happiness.clear();
  }
}

}  // namespace

Result<const place::PolicyRow*> policy_of(const Invocation& invocation) {
  if (invocation.policies.empty()) return &place::policies().front();
  const std::string& name = invocation.policies.front();
  if (const place::PolicyRow* row = place::find_policy(name)) return row;
  std::vector<std::string> names;
  for (const place::PolicyRow& row : place::policies()) names.emplace_back(row.name);
  return failure(
      fmt::format("--policy: '{}' is not known", name),
      suggestion(name, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
}

int run_place(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> files = invocation.files;
  std::ranges::copy(parsed.positionals, std::back_inserter(files));
  if (files.empty() || invocation.clusters.empty()) {
    return refuse({complaint("place needs contracts and a cluster",
                             "name them: -f CONTRACT --cluster INVENTORY")},
                  terminal);
  }
  std::vector<std::string> outputs = invocation.outputs;
  if (outputs.empty()) outputs.emplace_back("text");
  if (const Diagnostics faults = check_place_outputs(outputs); !faults.empty()) {
    return refuse(faults, terminal);
  }
  std::vector<std::string> extensions;
  for (const std::string& output : outputs) {
    if (output == "text")
      extensions.emplace_back("txt");
    else
      extensions.emplace_back(output == "json" ? "json" : "yaml");
  }
  if (const Diagnostics faults = check_destination(invocation, extensions); !faults.empty()) {
    return refuse(faults, terminal);
  }
  const bool is_exact =
      !invocation.policies.empty() && invocation.policies.front() == place::kExactPolicy;
  const Result<const place::PolicyRow*> policy =
      is_exact ? Result<const place::PolicyRow*>(&place::policies().front())
               : policy_of(invocation);
  if (!policy) return refuse(policy.error(), terminal);
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
  if (!loaded) return refuse(loaded.error(), terminal);
  const Result<std::vector<domain::ResourceContract>> contracts = read_contracts(files, invocation);
  if (!contracts) return refuse(contracts.error(), terminal);

  place::Snapshot snapshot(loaded->cluster, loaded->devices);
  const place::Expected expected = place::expected_requests(loaded->cluster, loaded->devices);
  const place::GoodnessWeights& weights = place::goodness_presets().front();
  domain::Placement placement;
  placement.cluster = loaded->cluster.name.empty() ? loaded->cluster.source : loaded->cluster.name;
  placement.policy = is_exact ? place::kExactPolicy : (*policy)->name;
  placement.goodness_preset = fmt::format("{} ({})", weights.name, weights.description);
  placement.distribution = expected.source;
  const place::DecideInput input{
      .devices = loaded->devices, .expected = expected, .policy = **policy, .weights = weights};
  if (is_exact) {
    const place::Snapshot before = snapshot;
    placement.decisions = place::decide_jointly(snapshot, *contracts, input);
    if (invocation.reserve_failover > 0) {
      keep_reserve(snapshot, before, invocation.reserve_failover, placement.decisions);
    }
  } else {
    for (const domain::ResourceContract& contract : *contracts) {
      const place::Snapshot before = snapshot;
      std::vector<domain::PlacementDecision> decisions = place::decide(snapshot, contract, input);
      if (invocation.reserve_failover > 0) {
        keep_reserve(snapshot, before, invocation.reserve_failover, decisions);
      }
      std::ranges::move(decisions, std::back_inserter(placement.decisions));
    }
  }
  if (loaded->parts.size() > 1) {
    for (domain::PlacementDecision& decision : placement.decisions) {
      if (!decision.is_placed()) note_elsewhere(decision, *loaded, snapshot);
    }
  }
  terminal.err << to_text(loaded->notes);
  const render::Style style = style_for(terminal, invocation.color, invocation.verbosity);
  std::vector<Piece> pieces;
  pieces.reserve(outputs.size());
  for (const std::string& output : outputs) {
    pieces.push_back(piece_of(output, placement, snapshot, loaded->cluster.name, style));
  }
  const Result<std::vector<std::string>> written = write_pieces(pieces, invocation, terminal);
  if (!written) return refuse(written.error(), terminal);
  for (const std::string& path : *written) terminal.err << "wrote " << path << "\n";
  const bool has_text = std::ranges::find(outputs, "text") != outputs.end();
  if (!has_text) terminal.err << render::placement_verdict(placement);
  return std::ranges::all_of(placement.decisions, &domain::PlacementDecision::is_placed)
             ? kDone
             : kAnswerIsNo;
}

}  // namespace gpushape::cli
