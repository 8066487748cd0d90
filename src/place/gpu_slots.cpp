#include "place/gpu_slots.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

namespace gpushape::place {

using domain::HostGpu;
using domain::Technology;

namespace {

/// Positions of the host's GPUs of one device, by a key of the GPU, in ascending order of key.
std::map<int, std::vector<int>> gpus_by(const domain::Host& host, std::string_view device,
                                        const std::function<int(const HostGpu&)>& key) {
  std::map<int, std::vector<int>> groups;
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    if (host.gpus[i].device == device) {
      groups[key(host.gpus[i])].push_back(static_cast<int>(i));
    }
  }
  return groups;
}

std::vector<int> first_of(std::vector<int> gpus, std::size_t count) {
  gpus.resize(std::min(count, gpus.size()));
  return gpus;
}

/// The first `count` GPUs that share a NUMA node; empty where no node holds as many.
std::vector<int> within_one_node(const domain::Host& host, std::span<const int> gpus,
                                 std::size_t count) {
  std::map<int, std::vector<int>> nodes;
  for (const int gpu : gpus) {
    nodes[host.gpus[static_cast<std::size_t>(gpu)].numa_node].push_back(gpu);
  }
  for (const auto& [node, members] : nodes) {
    if (members.size() >= count) return first_of(members, count);
  }
  return {};
}

/// Shares of one GPU that the profile table allows at once.
std::int64_t shares_per_gpu(const domain::Shape& shape, const domain::Device& device) {
  if (const domain::Profile* profile = profile_of(shape, device)) {
    return shape.is_mixed_size ? profile->max_per_gpu_mixed.value_or(profile->max_per_gpu)
                               : profile->max_per_gpu;
  }
  // Shares that a scheduler or a library keeps have no table: as many as the memory holds.
  const Bytes whole = device.visible_bytes.expected;
  return shape.memory_bytes > Bytes(0) ? std::max<std::int64_t>(whole / shape.memory_bytes, 1) : 1;
}

}  // namespace

bool takes_whole_devices(const domain::Shape& shape) {
  return shape.technology == Technology::FullVgpu || shape.technology == Technology::Passthrough ||
         shape.technology == Technology::WholeGpu;
}

bool needs_links(const domain::Shape& shape) {
  return shape.count > 1 && (!shape.device_group.empty() || shape.interconnect.starts_with("nv") ||
                             shape.interconnect == "xgmi");
}

const domain::Profile* profile_of(const domain::Shape& shape, const domain::Device& device) {
  const auto row = std::ranges::find_if(device.profiles, [&](const domain::Profile& profile) {
    return !shape.profile.empty() && profile.name == shape.profile;
  });
  return row == device.profiles.end() ? nullptr : &*row;
}

std::int64_t gpu_slots(const domain::Shape& shape, const domain::Device& device,
                       const domain::Host& host) {
  const std::int64_t gpus = std::ranges::count(host.gpus, shape.device, &HostGpu::device);
  if (!takes_whole_devices(shape)) return gpus * shares_per_gpu(shape, device);
  const std::int64_t count = std::max<std::int64_t>(shape.count, 1);
  if (!needs_links(shape)) return gpus / count;
  std::int64_t groups = 0;
  for (const auto& [domain, members] :
       gpus_by(host, shape.device, [](const HostGpu& gpu) { return gpu.link_domain; })) {
    if (domain >= 0) groups += static_cast<std::int64_t>(members.size()) / count;
  }
  return groups;
}

std::vector<int> closest_gpus(const domain::Host& host, std::string_view device,
                              std::int64_t count) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  const auto domains = gpus_by(host, device, [](const HostGpu& gpu) { return gpu.link_domain; });
  for (const auto& [domain, members] : domains) {
    if (domain < 0) continue;
    if (auto gpus = within_one_node(host, members, wanted); !gpus.empty()) return gpus;
  }
  for (const auto& [domain, members] : domains) {
    if (domain >= 0 && members.size() >= wanted) return first_of(members, wanted);
  }
  const auto all = gpus_by(host, device, [](const HostGpu&) { return 0; });
  if (all.empty()) return {};
  const std::vector<int>& members = all.begin()->second;
  if (auto gpus = within_one_node(host, members, wanted); !gpus.empty()) return gpus;
  return first_of(members, wanted);
}

bool are_linked(const domain::Host& host, std::span<const int> gpus) {
  const auto domain_of = [&](int gpu) {
    return host.gpus.at(static_cast<std::size_t>(gpu)).link_domain;
  };
  if (gpus.size() <= 1) return true;
  return domain_of(gpus.front()) >= 0 && std::ranges::all_of(gpus, [&](int gpu) {
           return domain_of(gpu) == domain_of(gpus.front());
         });
}

}  // namespace gpushape::place
