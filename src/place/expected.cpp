// The shapes to come, where nobody says: those that run, or those that the profile tables offer.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "place/decide.hpp"

namespace gpushape::place {

using domain::Cluster;
using domain::GpuMode;
using domain::GpuUse;
using domain::PlacementRequest;

namespace {

std::set<GpuUse> uses_of(const domain::Gpu& gpu) {
  std::set<GpuUse> uses;
  for (const GpuMode mode : gpu.allowed_modes) {
    if (mode == GpuMode::Mig) uses.insert(GpuUse::Mig);
    if (mode == GpuMode::Passthrough) uses.insert(GpuUse::Passthrough);
    if (mode == GpuMode::SameSize || mode == GpuMode::MixedSize) uses.insert(GpuUse::TimeSliced);
  }
  return uses;
}

/// What decides which requests are equal, in a total order.
auto key_of(const PlacementRequest& request) {
  return std::tuple(request.use, request.profile, request.gpus, request.needs_links,
                    request.millicores, request.reserved_mhz, request.memory_bytes, request.devices,
                    request.label);
}

Expected from_vms(const Cluster& cluster) {
  std::map<decltype(key_of(PlacementRequest{})), std::pair<std::int64_t, PlacementRequest>> counts;
  for (const domain::VirtualMachine& vm : cluster.vms) {
    PlacementRequest request = vm.request;
    request.is_static = false;
    request.pci_addresses.clear();
    request.group.clear();
    auto& [count, first] = counts.try_emplace(key_of(request), 0, request).first->second;
    ++count;
  }
  Expected expected{.shapes = {}, .source = "the running VMs, by their number"};
  const auto total = static_cast<double>(cluster.vms.size());
  for (const auto& [key, row] : counts) {
    expected.shapes.emplace_back(static_cast<double>(row.first) / total, row.second);
  }
  return expected;
}

void add_shapes_of(const domain::Device& device, const std::set<GpuUse>& uses,
                   const std::set<int>& group_sizes, std::vector<PlacementRequest>& shapes) {
  const DeviceGeometry geometry = geometry_of(device);
  PlacementRequest request;
  request.devices = {device.id};
  bool has_whole = false;
  for (const ProfileGeometry& profile : geometry.profiles) {
    if (!uses.contains(profile.use)) continue;
    request.use = profile.use;
    request.profile = profile.name;
    has_whole = has_whole || geometry.is_whole(profile);
    shapes.push_back(request);
  }
  if (!has_whole && !uses.contains(GpuUse::Passthrough)) return;
  request.use = has_whole ? GpuUse::TimeSliced : GpuUse::Passthrough;
  const auto whole = std::ranges::find_if(
      geometry.profiles, [&](const ProfileGeometry& row) { return geometry.is_whole(row); });
  request.profile = has_whole ? whole->name : std::string();
  if (!has_whole) shapes.push_back(request);
  request.needs_links = true;
  for (const int size : group_sizes) {
    request.gpus = size;
    shapes.push_back(request);
  }
}

Expected from_tables(const Cluster& cluster, std::span<const domain::Device> devices) {
  std::map<std::string, std::pair<std::set<GpuUse>, std::set<int>>> seen;
  for (const domain::ClusterHost& host : cluster.hosts) {
    for (const domain::Gpu& gpu : host.gpus) {
      auto& [uses, groups] = seen[gpu.device];
      uses.merge(uses_of(gpu));
      for (const domain::LinkDomain& domain : host.link_domains) {
        groups.insert(static_cast<int>(domain.gpus.size()));
      }
    }
  }
  std::vector<PlacementRequest> shapes;
  for (const domain::Device& device : devices) {
    const auto found = seen.find(device.id);
    if (found == seen.end()) continue;
    add_shapes_of(device, found->second.first, found->second.second, shapes);
  }
  Expected expected{.shapes = {}, .source = "every shape of the profile tables, all alike"};
  for (PlacementRequest& shape : shapes) {
    expected.shapes.emplace_back(1.0 / static_cast<double>(shapes.size()), std::move(shape));
  }
  return expected;
}

}  // namespace

Expected expected_requests(const Cluster& cluster, std::span<const domain::Device> devices) {
  return cluster.vms.empty() ? from_tables(cluster, devices) : from_vms(cluster);
}

}  // namespace gpushape::place
