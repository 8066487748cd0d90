#include "place/complete.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace gpushape::place {

using domain::Board;
using domain::ClusterHost;
using domain::Device;
using domain::GpuMode;
using domain::LinkDomain;

namespace {

const Device* device_of(std::span<const Device> devices, const std::string& id) {
  const auto found = std::ranges::find(devices, id, &Device::id);
  return found == devices.end() ? nullptr : &*found;
}

/// All modes that the profile table serves; same-size is what a host is set to unless someone
/// changes it.
std::vector<GpuMode> usual_modes(const Device* device) {
  const auto has = [&](auto... technologies) {
    return device != nullptr &&
           std::ranges::any_of(device->profiles, [&](const domain::Profile& profile) {
             return ((profile.technology == technologies) || ...);
           });
  };
  std::vector<GpuMode> modes;
  if (has(domain::Technology::TimeSliced, domain::Technology::FullVgpu,
          domain::Technology::Partition)) {
    modes.push_back(GpuMode::SameSize);
  }
  if (has(domain::Technology::Mig)) modes.push_back(GpuMode::Mig);
  modes.push_back(GpuMode::Passthrough);
  return modes;
}

/// The board that the host's GPUs are, where they all are of one device.
const Board* board_of(const ClusterHost& host, std::span<const Device> devices) {
  if (host.gpus.empty()) return nullptr;
  const bool is_uniform = std::ranges::all_of(
      host.gpus, [&](const domain::Gpu& gpu) { return gpu.device == host.gpus.front().device; });
  const Device* const device = device_of(devices, host.gpus.front().device);
  if (!is_uniform || device == nullptr) return nullptr;
  // A bridge is an option that someone plugs in; it is there only where the inventory says so.
  const auto board = std::ranges::find_if(device->boards, [&](const Board& row) {
    return static_cast<std::size_t>(row.gpus) == host.gpus.size() &&
           (host.board.empty() ? row.interconnect != "nvlink-bridge" : row.id == host.board);
  });
  return board == device->boards.end() ? nullptr : &*board;
}

void add_with_halves(const std::vector<int>& gpus, std::vector<LinkDomain>& domains) {
  if (gpus.size() < 2) return;
  domains.push_back({.gpus = gpus});
  if (gpus.size() < 4 || gpus.size() % 2 != 0) return;
  const auto middle = gpus.begin() + static_cast<std::ptrdiff_t>(gpus.size() / 2);
  add_with_halves({gpus.begin(), middle}, domains);
  add_with_halves({middle, gpus.end()}, domains);
}

/// The hardware's own numbers of link domains; empty where it names none.
std::vector<std::vector<int>> linked_groups(const ClusterHost& host) {
  std::map<int, std::vector<int>> groups;
  if (!host.hardware) return {};
  for (std::size_t i = 0; i < std::min(host.gpus.size(), host.hardware->gpus.size()); ++i) {
    const int domain = host.hardware->gpus[i].link_domain;
    if (domain >= 0) groups[domain].push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> all;
  all.reserve(groups.size());
  for (auto& [domain, gpus] : groups) all.push_back(std::move(gpus));
  return all;
}

bool are_the_boards(const std::vector<std::vector<int>>& groups, const Board& board) {
  return std::ranges::equal(groups, board.link_domains, {}, {}, &LinkDomain::gpus);
}

void complete_figures(ClusterHost& host, const HostReserve& reserve) {
  if (!host.hardware) return;
  const HostCapacity capacity = host_capacity(*host.hardware, reserve);
  if (host.millicores == 0) host.millicores = capacity.cores() * domain::kMillicoresPerCore;
  if (!host.mhz) host.mhz = capacity.mhz();
  if (host.memory_bytes == Bytes(0)) host.memory_bytes = capacity.memory();
  if (!host.numa) {
    host.numa = domain::NumaLayout{
        .nodes = static_cast<int>(capacity.nodes),
        .millicores_per_node = capacity.cores_per_node * domain::kMillicoresPerCore,
        .memory_per_node = capacity.memory_per_node};
  }
}

}  // namespace

std::vector<LinkDomain> link_domains_of(const ClusterHost& host, std::span<const Device> devices) {
  std::vector<std::vector<int>> groups = linked_groups(host);
  const Board* const board = board_of(host, devices);
  const bool is_told = host.hardware && !host.hardware->gpus.empty();
  if (board != nullptr && !is_told) {
    for (const LinkDomain& domain : board->link_domains) groups.push_back(domain.gpus);
  }
  if (board != nullptr && !board->partitions.empty() && are_the_boards(groups, *board)) {
    return board->partitions;
  }
  std::vector<LinkDomain> domains;
  for (const std::vector<int>& group : groups) add_with_halves(group, domains);
  return domains;
}

void complete(domain::Cluster& cluster, std::span<const Device> devices,
              const HostReserve& reserve) {
  for (ClusterHost& host : cluster.hosts) {
    complete_figures(host, reserve);
    for (domain::Gpu& gpu : host.gpus) {
      if (gpu.allowed_modes.empty())
        gpu.allowed_modes = usual_modes(device_of(devices, gpu.device));
    }
    if (host.link_domains.empty()) host.link_domains = link_domains_of(host, devices);
  }
}

}  // namespace gpushape::place
