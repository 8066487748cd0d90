#include "answers.hpp"

#include <algorithm>
#include <string>

#include "case_input.hpp"
#include "place/failover.hpp"
#include "place/host_filters.hpp"
#include "place/layouts.hpp"
#include "place/milli_gpu.hpp"

namespace placement_cases {

using gpushape::document::Node;
using namespace gpushape;  // every room answers here
using place::Distribution;
using place::Fragmentation;
using place::Option;
using place::Request;
using place::Snapshot;

namespace {

using Devices = std::vector<place::DeviceGeometry>;

Node list_of(const std::vector<int>& values) {
  Node list = Node::sequence();
  for (const int value : values) list.add(value);
  return list;
}

Node option_node(const Option& option) {
  Node node = Node::sequence();
  node.add(list_of(place::gpus_of(option.gpus)));
  node.add(option.start);
  return node;
}

Node slots_node(const Fragmentation& fragmentation) {
  Node list = Node::sequence();
  for (const auto& shape : fragmentation.shapes) list.add(shape.slots);
  return list;
}

Node feasibility(const Node& input, const Devices& devices) {
  const Snapshot snapshot(read_cluster(at(input, "cluster")), devices);
  const Request request = snapshot.compile(read_request(at(input, "request")));
  Node hosts = Node::mapping();
  Node compatible = Node::sequence();
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    const auto refusal = place::refusal_of(snapshot, host, request);
    Node row = Node::mapping();
    row.set("reason", refusal ? written_name(name_of(*refusal)) : "ok");
    Node& placements = row.set("placements", Node::sequence());
    if (!refusal) {
      for (const Option& option : place::options(snapshot, snapshot.row(host), request)) {
        placements.add(option_node(option));
      }
      compatible.add(snapshot.host(host).name);
    }
    hosts.set(snapshot.host(host).name, std::move(row));
  }
  Node node = Node::mapping();
  node.set("hosts", std::move(hosts));
  node.set("compatible", std::move(compatible));
  return node;
}

Node free_starts(const Node& one_case, const Devices& devices, domain::GpuUse use) {
  domain::Cluster cluster;
  cluster.hosts.emplace_back();
  cluster.hosts.front().gpus.push_back(read_gpu(at(at(one_case, "input"), "gpu")));
  const Snapshot snapshot(cluster, devices);
  Node node = Node::mapping();
  for (const auto& [profile, position, ignored] : at(one_case, "expect").entries()) {
    domain::PlacementRequest request;
    request.use = use;
    request.profile = profile;
    const auto& fit =
        snapshot.states().fit(snapshot.row(0).gpus.front(), snapshot.compile(request).shape);
    Node row = Node::mapping();
    row.set("status", fit.refusal ? written_name(name_of(*fit.refusal)) : "ok");
    row.set("starts", list_of(fit.starts));
    row.set("slots", fit.slots);
    node.set(profile, std::move(row));
  }
  return node;
}

Node layouts(const Node& input, const Devices& devices) {
  const auto device =
      std::ranges::find(devices, at(input, "model").text(), &place::DeviceGeometry::id);
  if (device == devices.end()) return {};
  std::vector<std::string> profiles;
  for (const Node& profile : at(input, "profiles").items()) profiles.push_back(profile.text());
  const place::LayoutCount count = place::count_layouts(
      *device,
      at(input, "partition").text() == "mig" ? domain::GpuUse::Mig : domain::GpuUse::TimeSliced,
      profiles);
  Node node = Node::mapping();
  node.set("maximal_layouts", count.maximal_layouts);
  node.set("distinct_profile_sets", count.distinct_profile_sets);
  node.set("worst_stranded", count.worst_stranded);
  node.set("least_stranded", count.least_stranded);
  node.set("mean_stranded", count.mean_stranded);
  return node;
}

Node fragmentation(const Node& input, const Devices& devices) {
  const Snapshot snapshot(read_cluster(at(input, "cluster")), devices);
  const Distribution distribution = snapshot.compile(read_distribution(at(input, "distribution")));
  const Fragmentation all = place::fragmentation_of(snapshot, distribution);
  Node node = Node::mapping();
  node.set("idle_gpus", all.idle);
  node.set("touch", all.touch);
  node.set("fill", all.fill);
  Node& shapes = node.set("per_shape", Node::sequence());
  for (const auto& shape : all.shapes) {
    Node& row = shapes.add(Node::mapping());
    row.set("k", shape.slots);
    row.set("touch", shape.touch);
    row.set("fill", shape.fill);
  }
  Node& hosts = node.set("per_host", Node::mapping());
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    const Fragmentation own = place::fragmentation_of(
        snapshot.states(), place::view_of(snapshot.row(host)), distribution);
    Node& row = hosts.set(snapshot.host(host).name, Node::mapping());
    row.set("idle", own.idle);
    row.set("touch", own.touch);
    row.set("fill", own.fill);
    row.set("k", slots_node(own));
  }
  return node;
}

Node choice_of(const Snapshot& snapshot, const Request& request, const Distribution& distribution,
               const std::string& policy) {
  const place::PolicyRow* const row = place::find_policy(policy_name(policy));
  if (row == nullptr) return {};
  const auto choice = place::choose(snapshot, request, distribution, *row);
  if (!choice) return {};
  const Fragmentation before = place::fragmentation_of(snapshot, distribution);
  Snapshot next = snapshot;
  next.place("the request", request, choice->host, choice->option);
  const Fragmentation after = place::fragmentation_of(next, distribution);
  Node node = Node::mapping();
  node.set("host", snapshot.host(choice->host).name);
  node.set("gpus", list_of(place::gpus_of(choice->option.gpus)));
  node.set("start", choice->option.start);
  node.set("touch_after", after.touch);
  node.set("fill_after", after.fill);
  Node& removed = node.set("removed", Node::sequence());
  for (std::size_t i = 0; i < before.shapes.size(); ++i) {
    removed.add(before.shapes[i].slots - after.shapes[i].slots);
  }
  return node;
}

Node choice(const Node& input, const Devices& devices) {
  const Snapshot snapshot(read_cluster(at(input, "cluster")), devices);
  const Request request = snapshot.compile(read_request(at(input, "request")));
  const Distribution distribution = snapshot.compile(read_distribution(at(input, "distribution")));
  Node node = Node::mapping();
  node.set("k_before", slots_node(place::fragmentation_of(snapshot, distribution)));
  Node& policies = node.set("by_policy", Node::mapping());
  for (const Node& policy : at(input, "policies").items()) {
    policies.set(policy.text(), choice_of(snapshot, request, distribution, policy.text()));
  }
  return node;
}

Node log_node(const simulate::LogEntry& entry, const Snapshot& snapshot) {
  Node node = Node::sequence();
  switch (entry.outcome) {
    case simulate::Outcome::Placed:
      node.add(snapshot.host(entry.host).name);
      node.add(list_of(place::gpus_of(entry.option.gpus)));
      node.add(entry.option.start);
      break;
    case simulate::Outcome::Rejected:
      node.add("rejected");
      break;
    case simulate::Outcome::Departed:
      node.add("departed");
      break;
    case simulate::Outcome::Absent:
      node.add("absent");
      break;
  }
  return node;
}

Node lifecycle(const Node& input, const Devices& devices) {
  const Snapshot first(read_cluster(at(input, "cluster")), devices);
  const Distribution distribution = first.compile(read_distribution(at(input, "distribution")));
  const place::PolicyRow* const policy =
      place::find_policy(policy_name(at(input, "policy").text()));
  if (policy == nullptr) return {};
  const simulate::Replay replay =
      simulate::replay(first, read_events(at(input, "events")), distribution, *policy);
  const Fragmentation last = place::fragmentation_of(replay.last, distribution);
  Node node = Node::mapping();
  Node& log = node.set("log", Node::sequence());
  for (const simulate::LogEntry& entry : replay.log) log.add(log_node(entry, replay.last));
  node.set("rejected", replay.rejected);
  node.set("touch", last.touch);
  node.set("fill", last.fill);
  node.set("k", slots_node(last));
  Node& modes = node.set("modes", Node::mapping());
  for (const domain::ClusterHost& host : replay.last.cluster().hosts) {
    Node& gpus = modes.set(host.name, Node::sequence());
    for (const domain::Gpu& gpu : host.gpus) {
      Node& pair = gpus.add(Node::sequence());
      pair.add(gpu.mode ? Node(written_name(name_of(*gpu.mode))) : Node());
      pair.add(gpu.profile.empty() ? Node() : Node(gpu.profile));
    }
  }
  return node;
}

Node failover(const Node& input, const Devices& devices) {
  const Snapshot snapshot(read_cluster(at(input, "cluster")), devices);
  Node node = Node::mapping();
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (!snapshot.row(host).is_up) continue;
    const place::HostFailover result = place::failover_of(snapshot, host);
    Node& row = node.set(snapshot.host(host).name, Node::mapping());
    row.set("vms", static_cast<int>(result.vms.size()));
    Node& pinned = row.set("pinned", Node::sequence());
    for (const std::string& vm : result.pinned) pinned.add(vm);
    if (result.joint.answer == place::Answer::NotKnown) {
      row.set("all_restart", "not known");
    } else {
      row.set("all_restart", result.joint.answer == place::Answer::Yes);
    }
  }
  return node;
}

Node fgd_nodes(const Node& input) {
  std::vector<place::WeighedTask> tasks;
  for (const Node& row : at(input, "distribution").items()) {
    tasks.push_back({.probability = at(row, "p").number(),
                     .task = {.millicores = at(row, "cpu_milli").integer(),
                              .gpu_milli = at(row, "gpu_milli").integer(),
                              .gpus = static_cast<int>(at(row, "num_gpu").integer())}});
  }
  Node fragments = Node::sequence();
  Node idle = Node::sequence();
  for (const Node& row : at(input, "nodes").items()) {
    place::MilliNode node{.free_millicores = at(row, "cpu_milli").integer(), .free_gpu_milli = {}};
    for (const Node& gpu : at(row, "gpu_milli").items()) {
      node.free_gpu_milli.push_back(gpu.integer());
    }
    fragments.add(place::expected_fragment_milli(node, tasks));
    idle.add(place::idle_milli(node));
  }
  Node result = Node::mapping();
  result.set("frag_milli", std::move(fragments));
  result.set("idle_milli", std::move(idle));
  return result;
}

}  // namespace

Node answer(const Node& one_case, const Devices& devices) {
  const std::string& kind = at(one_case, "kind").text();
  const Node& input = at(one_case, "input");
  if (kind == "feasibility") return feasibility(input, devices);
  if (kind == "mig_free") return free_starts(one_case, devices, domain::GpuUse::Mig);
  if (kind == "mixed_free") return free_starts(one_case, devices, domain::GpuUse::TimeSliced);
  if (kind == "layouts") return layouts(input, devices);
  if (kind == "fragmentation") return fragmentation(input, devices);
  if (kind == "choice") return choice(input, devices);
  if (kind == "lifecycle") return lifecycle(input, devices);
  if (kind == "failover") return failover(input, devices);
  if (kind == "fgd_nodes") return fgd_nodes(input);
  return {};
}

}  // namespace placement_cases
