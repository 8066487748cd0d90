// gpushape simulate: a trace replayed under one or several policies, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cli/cluster_files.hpp"
#include "cli/commands.hpp"
#include "cli/listing.hpp"
#include "document/text_format.hpp"
#include "inventory/traces.hpp"
#include "place/decide.hpp"
#include "schema/kinds.hpp"
#include "simulate/replay.hpp"
#include "simulate/task_replay.hpp"
#include "simulate/vm_replay.hpp"

namespace gpushape::cli {
namespace {

using document::Node;
using render::Align;

std::string percent(double share) { return fmt::format("{:.2f}", 100 * share); }

Node header(const Invocation& invocation) {
  Node node = Node::mapping();
  node.set("apiVersion", schema::kApiVersion);
  node.set("kind", "Simulation");
  node.set("trace", invocation.trace);
  return node;
}

/// The rows whose names were asked for; all of them where none was.
template <class Row>
Result<std::vector<const Row*>> chosen_policies(std::span<const Row> rows,
                                                const std::vector<std::string>& wanted) {
  std::vector<const Row*> chosen;
  std::vector<std::string> names;
  for (const Row& row : rows) {
    names.emplace_back(row.name);
    if (wanted.empty()) chosen.push_back(&row);
  }
  for (const std::string& name : wanted) {
    const auto row = std::ranges::find(rows, name, &Row::name);
    if (row == rows.end()) {
      return failure(
          fmt::format("--policy: '{}' is not known", name),
          suggestion(name, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
    }
    chosen.push_back(&*row);
  }
  return chosen;
}

// ---- tasks on shared GPUs

int simulate_tasks(const std::vector<domain::SharedTask>& tasks, const Invocation& invocation,
                   const Terminal& terminal, const std::string& format) {
  if (invocation.clusters.size() != 1) {
    return refuse(
        {complaint("a task list is replayed on one node list", "name it: --cluster nodes.csv")},
        terminal);
  }
  const std::string& file = invocation.clusters.front();
  const Result<std::string> text = document::read_file(file);
  if (!text) return refuse(text.error(), terminal);
  const Result<std::vector<domain::SharedNode>> nodes = inventory::read_node_list(*text, file);
  if (!nodes) return refuse(nodes.error(), terminal);
  const auto policies = chosen_policies(place::shared_policies(), invocation.policies);
  if (!policies) return refuse(policies.error(), terminal);

  const std::vector<double> arrivals = {invocation.arrivals_percent / 100};
  Node node = header(invocation);
  node.set("seed", invocation.seed);
  Node& rows = node.set("policies", Node::sequence());
  render::Table table{.columns = {{"policy", Align::Left},
                                  {"arrived %", Align::Right},
                                  {"allocated %", Align::Right},
                                  {"placed", Align::Right},
                                  {"rejected", Align::Right}},
                      .rows = {},
                      .ruled = {}};
  for (const place::SharedPolicyRow* policy : *policies) {
    const auto points = simulate::replay_tasks(
        *nodes, tasks, *policy, static_cast<std::uint64_t>(invocation.seed), arrivals);
    if (points.empty()) {
      return refuse(
          {complaint("nothing to simulate: no GPU in the node list, or no GPU asked for")},
          terminal);
    }
    const simulate::TaskReplayPoint& point = points.front();
    table.rows.push_back({std::string(policy->name), percent(point.arrived),
                          percent(point.allocated), std::to_string(point.placed),
                          std::to_string(point.rejected)});
    Node& row = rows.add(Node::mapping());
    row.set("policy", policy->name);
    row.set("arrivedShare", point.arrived);
    row.set("allocatedShare", point.allocated);
    row.set("placed", point.placed);
    row.set("rejected", point.rejected);
  }
  if (format != "text") {
    print(node, format, terminal);
    return kDone;
  }
  render::Page page(style_for(terminal, invocation.color, invocation.verbosity));
  page.table(table, 0);
  terminal.out << page.text();
  return kDone;
}

// ---- VMs on hosts with modes

Node vm_row(const simulate::VmReplay& replay) {
  Node row = Node::mapping();
  row.set("policy", replay.policy);
  row.set("arrived", replay.arrived);
  row.set("placed", replay.placed);
  row.set("rejected", replay.rejected);
  row.set("acceptedShare", replay.accepted_gpu_share);
  row.set("acceptedTimeShare", replay.accepted_gpu_time_share);
  row.set("meanIdleGpus", replay.mean_idle);
  row.set("meanTouchGpus", replay.mean_touch);
  row.set("meanFillGpus", replay.mean_fill);
  row.set("avoidableRejections", replay.avoidable);
  Node& reasons = row.set("rejectedBy", Node::mapping());
  for (const auto& [refusal, count] : replay.rejected_by) {
    reasons.set(std::string(name_of(refusal)), count);
  }
  return row;
}

int simulate_vms(const domain::Trace& trace, const Invocation& invocation, const Terminal& terminal,
                 const std::string& format) {
  const Result<profiles::Profiles> profiles = profiles::Profiles::open(invocation.profiles_folder);
  if (!profiles) return refuse(profiles.error(), terminal);
  const Result<LoadedCluster> loaded = load_cluster(invocation.clusters, *profiles);
  if (!loaded) return refuse(loaded.error(), terminal);
  const auto policies = chosen_policies(place::policies(), invocation.policies);
  if (!policies) return refuse(policies.error(), terminal);

  Node node = header(invocation);
  Node& rows = node.set("policies", Node::sequence());
  render::Table table{.columns = {{"policy", Align::Left},
                                  {"placed", Align::Right},
                                  {"rejected", Align::Right},
                                  {"accepted %", Align::Right},
                                  {"idle", Align::Right},
                                  {"touch", Align::Right},
                                  {"fill", Align::Right},
                                  {"by", Align::Left}},
                      .rows = {},
                      .ruled = {}};
  const place::Snapshot snapshot(loaded->cluster, loaded->devices);
  for (const place::PolicyRow* policy : *policies) {
    if (terminal.is_out_terminal) terminal.err << fmt::format("\r{:<40}", policy->name);
    const simulate::VmReplay replay = simulate::replay_vms(snapshot, trace, *policy);
    std::vector<std::string> reasons;
    reasons.reserve(replay.rejected_by.size());
    for (const auto& [refusal, count] : replay.rejected_by) {
      reasons.push_back(fmt::format("{} {}", name_of(refusal), count));
    }
    table.rows.push_back(
        {replay.policy, std::to_string(replay.placed), std::to_string(replay.rejected),
         percent(replay.accepted_gpu_share), fmt::format("{:.2f}", replay.mean_idle),
         fmt::format("{:.2f}", replay.mean_touch), fmt::format("{:.2f}", replay.mean_fill),
         fmt::format("{}", fmt::join(reasons, ", "))});
    rows.add(vm_row(replay));
  }
  if (terminal.is_out_terminal) terminal.err << fmt::format("\r{:<40}\r", "");
  if (format != "text") {
    print(node, format, terminal);
    return kDone;
  }
  render::Page page(style_for(terminal, invocation.color, invocation.verbosity));
  page.table(table, 0);
  page.blank();
  page.paragraph(
      "accepted: of the GPU capacity that was asked for; idle, touch and fill: GPUs, mean over "
      "time");
  terminal.out << page.text();
  return kDone;
}

}  // namespace

int run_simulate(const ParsedFlags& parsed, Invocation& invocation, const Terminal& terminal) {
  if (const Diagnostics faults = apply(parsed, invocation); !faults.empty()) {
    return refuse(faults, terminal);
  }
  if (invocation.trace.empty() || invocation.clusters.empty()) {
    return refuse({complaint("simulate needs a cluster and a trace",
                             "name them: --cluster INVENTORY --trace FILE")},
                  terminal);
  }
  const Result<std::string> format = listing_format(invocation);
  if (!format) return refuse(format.error(), terminal);
  const Result<std::string> text = document::read_file(invocation.trace);
  if (!text) return refuse(text.error(), terminal);
  const Result<inventory::AnyTrace> trace = inventory::read_trace(*text, invocation.trace);
  if (!trace) return refuse(trace.error(), terminal);
  if (const auto* tasks = std::get_if<std::vector<domain::SharedTask>>(&*trace)) {
    return simulate_tasks(*tasks, invocation, terminal, *format);
  }
  return simulate_vms(std::get<domain::Trace>(*trace), invocation, terminal, *format);
}

}  // namespace gpushape::cli
