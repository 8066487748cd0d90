// Clusters that are small enough to try everything: two hosts of a made-up device with a short
// axis, in every state that its GPUs can be in, and every request that it can be asked for.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "domain/cluster.hpp"
#include "place/geometry.hpp"
#include "place/snapshot.hpp"

namespace gpushape::example {

/// A made-up device with a short axis: 4 GB or 4 slices, 3 compute slices.
inline std::vector<place::DeviceGeometry> tiny_devices() {
  const auto row = [](std::string name, domain::GpuUse use, int size, std::vector<int> starts,
                      int max, int compute) {
    return place::ProfileGeometry{.name = std::move(name),
                                  .aliases = {},
                                  .use = use,
                                  .size = size,
                                  .starts = std::move(starts),
                                  .max = max,
                                  .compute = compute};
  };
  return {{.id = "tiny",
           .memory_gb = 4,
           .mig_slices = 4,
           .mig_compute = 3,
           .profiles = {row("1C", domain::GpuUse::TimeSliced, 1, {0, 1, 2, 3}, 4, 0),
                        row("2C", domain::GpuUse::TimeSliced, 2, {0, 2}, 2, 0),
                        row("4C", domain::GpuUse::TimeSliced, 4, {0}, 1, 0),
                        row("1g", domain::GpuUse::Mig, 1, {0, 1, 2}, 3, 1),
                        row("2g", domain::GpuUse::Mig, 2, {0, 2}, 1, 2)}}};
}

inline domain::PlacementRequest tiny_request(domain::GpuUse use, std::string profile,
                                             std::int64_t gpus = 1, bool links = false) {
  domain::PlacementRequest request;
  request.use = use;
  request.profile = std::move(profile);
  request.gpus = gpus;
  request.needs_links = links;
  request.millicores = 1000;
  request.memory_bytes = gib(1);
  return request;
}

inline std::vector<domain::PlacementRequest> every_request() {
  return {tiny_request(domain::GpuUse::TimeSliced, "1C"),
          tiny_request(domain::GpuUse::TimeSliced, "2C"),
          tiny_request(domain::GpuUse::TimeSliced, "4C"),
          tiny_request(domain::GpuUse::Mig, "1g"),
          tiny_request(domain::GpuUse::Mig, "2g"),
          tiny_request(domain::GpuUse::Passthrough, ""),
          tiny_request(domain::GpuUse::TimeSliced, "4C", 2),
          tiny_request(domain::GpuUse::TimeSliced, "4C", 2, true),
          tiny_request(domain::GpuUse::Passthrough, "", 2),
          tiny_request(domain::GpuUse::Passthrough, "", 2, true)};
}

inline domain::Gpu tiny_gpu(std::vector<domain::GpuMode> modes) {
  domain::Gpu made;
  made.device = "tiny";
  made.allowed_modes = std::move(modes);
  return made;
}

/// Every state that a GPU of those modes reaches by VMs that come and go, written by hand: the
/// mode, the profile of the lock, and who lies where.
inline std::vector<domain::Gpu> every_gpu() {
  std::vector<domain::Gpu> gpus;
  for (const auto& modes : std::vector<std::vector<domain::GpuMode>>{
           {domain::GpuMode::SameSize, domain::GpuMode::Mig},
           {domain::GpuMode::MixedSize, domain::GpuMode::Passthrough}}) {
    gpus.push_back(tiny_gpu(modes));
    gpus.push_back(tiny_gpu(modes));
    gpus.back().has_failed = true;
  }
  const auto with = [&](domain::GpuMode mode, std::vector<domain::GpuMode> modes,
                        std::string profile, std::vector<domain::GpuAllocation> shares) {
    domain::Gpu made = tiny_gpu(std::move(modes));
    made.mode = mode;
    made.profile = std::move(profile);
    made.allocations = std::move(shares);
    gpus.push_back(std::move(made));
  };
  const std::vector<domain::GpuMode> same = {domain::GpuMode::SameSize, domain::GpuMode::Mig};
  const std::vector<domain::GpuMode> mixed = {domain::GpuMode::MixedSize,
                                              domain::GpuMode::Passthrough};
  with(domain::GpuMode::SameSize, same, "1C", {{"a", "1C", 0, 1}});
  with(domain::GpuMode::SameSize, same, "1C",
       {{"a", "1C", 0, 1}, {"b", "1C", 0, 1}, {"c", "1C", 0, 1}, {"d", "1C", 0, 1}});
  with(domain::GpuMode::SameSize, same, "2C", {{"a", "2C", 0, 2}});
  with(domain::GpuMode::SameSize, same, "4C", {{"a", "4C", 0, 4}});
  with(domain::GpuMode::MixedSize, mixed, "", {{"a", "1C", 1, 1}});
  with(domain::GpuMode::MixedSize, mixed, "", {{"a", "1C", 1, 1}, {"b", "1C", 2, 1}});
  with(domain::GpuMode::MixedSize, mixed, "", {{"a", "2C", 2, 2}});
  with(domain::GpuMode::Mig, same, "", {{"a", "1g", 1, 1}});
  with(domain::GpuMode::Mig, same, "", {{"a", "2g", 2, 2}});
  with(domain::GpuMode::Mig, same, "", {{"a", "2g", 0, 2}, {"b", "1g", 2, 1}});
  with(domain::GpuMode::Passthrough, mixed, "", {{"a", "", 0, 4}});
  return gpus;
}

inline domain::Cluster cluster_with(std::vector<std::vector<domain::Gpu>> hosts) {
  domain::Cluster cluster;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    domain::ClusterHost host;
    host.name = "h" + std::to_string(i);
    host.millicores = 2000;
    host.memory_bytes = gib(2);
    host.gpus = std::move(hosts[i]);
    if (host.gpus.size() > 1) host.link_domains = {{.gpus = {0, 1}}};
    cluster.hosts.push_back(std::move(host));
  }
  return cluster;
}

/// Every cluster of two hosts, one of them with two GPUs.
inline void for_every_cluster(const std::function<void(const domain::Cluster&)>& visit) {
  const std::vector<domain::Gpu> gpus = every_gpu();
  for (const domain::Gpu& first : gpus) {
    for (const domain::Gpu& second : gpus) {
      for (const domain::Gpu& third : gpus) visit(cluster_with({{first, second}, {third}}));
    }
  }
}

}  // namespace gpushape::example
