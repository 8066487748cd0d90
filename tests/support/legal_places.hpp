// Where a request may lie by the written rules, the slow and obvious way: every start and every set
// of GPUs is tried. Holds for the hosts of tiny_clusters.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "support/tiny_clusters.hpp"

namespace gpushape::example {

inline bool holds_use(domain::GpuMode mode, domain::GpuUse use) {
  if (use == domain::GpuUse::Mig) return mode == domain::GpuMode::Mig;
  if (use == domain::GpuUse::Passthrough) return mode == domain::GpuMode::Passthrough;
  return mode == domain::GpuMode::SameSize || mode == domain::GpuMode::MixedSize;
}

inline bool is_overlapping(int start, int size, const domain::GpuAllocation& share) {
  for (int unit = start; unit < start + size; ++unit) {
    if (unit >= share.start && unit < share.start + share.size) return true;
  }
  return false;
}

/// Legal starts of one more copy, by trying each unit of the axis.
inline std::vector<int> legal_starts(const domain::Gpu& gpu,
                                     const domain::PlacementRequest& request) {
  if (gpu.has_failed) return {};
  std::optional<domain::GpuMode> mode = gpu.mode;
  if (!mode) {
    for (const domain::GpuMode allowed : gpu.allowed_modes) {
      if (holds_use(allowed, request.use)) mode = allowed;
    }
  }
  if (!mode || !holds_use(*mode, request.use)) return {};
  if (request.use == domain::GpuUse::Passthrough) {
    return gpu.allocations.empty() ? std::vector<int>{0} : std::vector<int>{};
  }
  static const auto devices = tiny_devices();
  const place::ProfileGeometry* profile = nullptr;
  for (const auto& row : devices.front().profiles) {
    if (row.use == request.use && row.name == request.profile) profile = &row;
  }
  if (*mode == domain::GpuMode::SameSize) {
    const bool is_locked = gpu.mode && gpu.profile != request.profile;
    const bool is_full = static_cast<int>(gpu.allocations.size()) >= profile->max;
    return is_locked || is_full ? std::vector<int>{} : std::vector<int>{0};
  }
  int compute = 0;
  int same = 0;
  for (const auto& share : gpu.allocations) {
    for (const auto& row : devices.front().profiles) {
      if (row.use == request.use && row.name == share.profile) compute += row.compute;
    }
    if (share.profile == request.profile) ++same;
  }
  if (request.use == domain::GpuUse::Mig &&
      (compute + profile->compute > 3 || same >= profile->max)) {
    return {};
  }
  std::vector<int> starts;
  for (int start = 0; start < 4; ++start) {
    const bool is_listed = std::ranges::find(profile->starts, start) != profile->starts.end();
    const bool is_free = std::ranges::none_of(gpu.allocations, [&](const auto& share) {
      return is_overlapping(start, profile->size, share);
    });
    if (is_listed && is_free) starts.push_back(start);
  }
  return starts;
}

/// Every legal place on a host: all sets of GPUs of that number, all starts.
inline std::set<std::pair<place::GpuSet, int>> legal_places(
    const domain::ClusterHost& host, const domain::PlacementRequest& request) {
  std::set<std::pair<place::GpuSet, int>> places;
  if (host.millicores - host.used_millicores < request.millicores) return places;
  if (host.memory_bytes - host.used_memory_bytes < request.memory_bytes) return places;
  for (place::GpuSet set = 1; set < (place::GpuSet{1} << host.gpus.size()); ++set) {
    if (std::popcount(set) != request.gpus) continue;
    std::vector<int> starts = {0, 1, 2, 3};
    for (const int position : place::gpus_of(set)) {
      const domain::Gpu& gpu = host.gpus[static_cast<std::size_t>(position)];
      const std::vector<int> own = legal_starts(gpu, request);
      std::erase_if(starts, [&](int start) {
        return std::ranges::find(own, start) == own.end() ||
               (request.gpus > 1 && !gpu.allocations.empty());
      });
    }
    if (request.needs_links && set != 3) continue;  // the one domain of the tiny host
    for (const int start : starts) places.emplace(set, start);
  }
  return places;
}

}  // namespace gpushape::example
