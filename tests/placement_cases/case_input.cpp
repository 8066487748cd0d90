#include "case_input.hpp"

#include <algorithm>

namespace placement_cases {

using gpushape::gib;
using gpushape::document::Node;
using namespace gpushape::domain;
using gpushape::place::DeviceGeometry;
using gpushape::place::ProfileGeometry;

namespace {

int whole(const Node& node) { return static_cast<int>(node.integer()); }

std::string text_or_empty(const Node& node) {
  return node.is(Node::Kind::String) ? node.text() : std::string();
}

std::vector<int> integers(const Node& node) {
  std::vector<int> values;
  std::ranges::transform(node.items(), std::back_inserter(values), whole);
  return values;
}

std::optional<GpuMode> read_mode(const Node& node) {
  const std::string text = text_or_empty(node);
  if (text == "same_size") return GpuMode::SameSize;
  if (text == "mixed_size") return GpuMode::MixedSize;
  if (text == "mig") return GpuMode::Mig;
  if (text == "passthrough") return GpuMode::Passthrough;
  return std::nullopt;
}

GpuUse read_use(const std::string& text) {
  if (text == "mig") return GpuUse::Mig;
  return text == "passthrough" ? GpuUse::Passthrough : GpuUse::TimeSliced;
}

ClusterHost read_host(const Node& node) {
  ClusterHost host;
  host.name = at(node, "id").text();
  host.state = gpushape::value_of<HostState>(at(node, "state").text()).value_or(HostState::Failed);
  host.millicores = at(node, "cpu").integer() * kMillicoresPerCore;
  host.used_millicores = at(node, "cpu_used").integer() * kMillicoresPerCore;
  host.memory_bytes = gib(at(node, "mem_gb").integer());
  host.used_memory_bytes = gib(at(node, "mem_used_gb").integer());
  std::ranges::transform(at(node, "gpus").items(), std::back_inserter(host.gpus), read_gpu);
  for (const Node& domain : at(node, "domains").items()) {
    host.link_domains.push_back({.gpus = integers(domain)});
  }
  return host;
}

}  // namespace

const Node& at(const Node& node, std::string_view name) {
  static const Node kNothing;
  const Node* const child = node.find(name);
  return child == nullptr ? kNothing : *child;
}

std::vector<DeviceGeometry> read_catalog(const Node& root) {
  std::vector<DeviceGeometry> devices;
  for (const auto& [name, position, entry] : root.entries()) {
    DeviceGeometry device{.id = name,
                          .memory_gb = whole(at(entry, "mem_gb")),
                          .mig_slices = whole(at(entry, "mig_slices")),
                          .mig_compute = 0,
                          .profiles = {}};
    // Compute slices per GPU: 7, or 4 where the axis is 4 or 12.
    device.mig_compute = device.mig_slices == 4 || device.mig_slices == 12 ? 4 : 7;
    for (const auto& [profile, place, row] : at(entry, "timeslice").entries()) {
      device.profiles.push_back(ProfileGeometry{.name = profile,
                                                .aliases = {},
                                                .use = GpuUse::TimeSliced,
                                                .size = whole(at(row, "gb")),
                                                .starts = integers(at(row, "starts")),
                                                .max = whole(at(row, "max_same")),
                                                .compute = 0});
    }
    for (const auto& [profile, place, row] : at(entry, "mig").entries()) {
      device.profiles.push_back(ProfileGeometry{.name = profile,
                                                .aliases = {},
                                                .use = GpuUse::Mig,
                                                .size = whole(at(row, "size")),
                                                .starts = integers(at(row, "starts")),
                                                .max = whole(at(row, "max")),
                                                .compute = whole(at(row, "compute"))});
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

Gpu read_gpu(const Node& node) {
  Gpu gpu;
  gpu.device = at(node, "model").text();
  for (const Node& mode : at(node, "modes").items()) {
    if (const auto allowed = read_mode(mode)) gpu.allowed_modes.push_back(*allowed);
  }
  gpu.label = text_or_empty(at(node, "label"));
  gpu.has_failed = at(node, "failed").boolean();
  gpu.mode = read_mode(at(node, "mode"));
  gpu.profile = text_or_empty(at(node, "profile"));
  for (const Node& share : at(node, "allocs").items()) {
    gpu.allocations.push_back({.vm = at(share, "vm").text(),
                               .profile = text_or_empty(at(share, "profile")),
                               .start = whole(at(share, "start")),
                               .size = whole(at(share, "size"))});
  }
  return gpu;
}

Cluster read_cluster(const Node& node) {
  Cluster cluster;
  std::ranges::transform(at(node, "hosts").items(), std::back_inserter(cluster.hosts), read_host);
  for (const auto& [name, position, entry] : at(node, "vms").entries()) {
    VirtualMachine vm;
    vm.name = name;
    vm.host = at(entry, "host").text();
    vm.gpus = integers(at(entry, "gpus"));
    vm.start = whole(at(entry, "start"));
    vm.request = read_request(at(entry, "request"));
    cluster.vms.push_back(std::move(vm));
  }
  return cluster;
}

PlacementRequest read_request(const Node& node) {
  PlacementRequest request;
  request.use = read_use(at(node, "kind").text());
  request.profile = text_or_empty(at(node, "profile"));
  request.gpus = at(node, "gpus").integer();
  request.needs_links = at(node, "nvlink").boolean();
  request.millicores = at(node, "cpu").integer() * kMillicoresPerCore;
  request.memory_bytes = gib(at(node, "mem_gb").integer());
  for (const Node& model : at(node, "models").items()) request.devices.push_back(model.text());
  const Node& label = at(node, "label");
  if (label.is(Node::Kind::String)) request.label = label.text();
  request.is_static = at(node, "static").boolean();
  return request;
}

std::vector<std::pair<double, PlacementRequest>> read_distribution(const Node& node) {
  std::vector<std::pair<double, PlacementRequest>> distribution;
  for (const Node& row : node.items()) {
    if (row.items().size() != 2) continue;
    distribution.emplace_back(row.items()[0].number(), read_request(row.items()[1]));
  }
  return distribution;
}

std::vector<gpushape::simulate::Event> read_events(const Node& node) {
  std::vector<gpushape::simulate::Event> events;
  for (const Node& row : node.items()) {
    gpushape::simulate::Event event;
    event.is_arrival = at(row, "op").text() == "arrive";
    event.vm = at(row, "vm").text();
    if (event.is_arrival) event.request = read_request(at(row, "request"));
    events.push_back(std::move(event));
  }
  return events;
}

std::string policy_name(const std::string& written) {
  if (written.starts_with("min_frag_")) {
    return "least-fragmentation-" + written.substr(std::string_view("min_frag_").size());
  }
  std::string name = written;
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string written_name(std::string_view name) {
  std::string written(name);
  std::ranges::replace(written, '-', '_');
  return written;
}

}  // namespace placement_cases
