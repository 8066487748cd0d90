#include "domain/profile_geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

namespace gpushape::domain {
namespace {

/// A stretch of the placement axis (GiB for time-sliced, memory slices for MIG) and what it costs.
struct Block {
  std::int64_t start = 0;
  std::int64_t size = 0;
  std::int64_t compute = 0;
};

bool is_time_sliced(const Profile& profile) {
  return profile.technology == Technology::TimeSliced || profile.technology == Technology::FullVgpu;
}

/// Mixing sizes costs the profile none of the places it has alone.
bool keeps_its_count(const Profile& profile) {
  return profile.max_per_gpu_mixed && *profile.max_per_gpu_mixed == profile.max_per_gpu;
}

std::vector<Block> blocks_of(const Profile& profile) {
  std::vector<Block> blocks;
  blocks.reserve(profile.placement_ids.size());
  for (const std::int64_t start : profile.placement_ids) {
    blocks.push_back({start, profile.placement_size, profile.compute_slices});
  }
  return blocks;
}

bool overlap(const Block& a, const Block& b) {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

/// The blocks of a catalog by the position that they start at, none of them beyond the axis.
using BlocksByStart = std::vector<std::vector<Block>>;

BlocksByStart by_start(const std::vector<Block>& catalog, std::int64_t length) {
  BlocksByStart starts(static_cast<std::size_t>(length));
  for (const Block& block : catalog) {
    if (block.start >= 0 && block.start + block.size <= length)
      starts[static_cast<std::size_t>(block.start)].push_back(block);
  }
  return starts;
}

/// The most of the axis that blocks can cover beside `taken`, within the compute that is left.
/// Dynamic programming over (position, compute): best[position][compute], in one stretch.
std::int64_t most_covered(const BlocksByStart& catalog, const Block& taken, std::int64_t compute,
                          std::vector<std::int64_t>& best) {
  const std::size_t positions = catalog.size();
  const auto computes = static_cast<std::size_t>(compute) + 1;
  best.assign((positions + 1) * computes, 0);
  for (std::size_t position = positions; position-- > 0;) {
    const std::int64_t* const next = &best[(position + 1) * computes];
    std::int64_t* const here = &best[position * computes];
    std::copy(next, next + computes, here);
    for (const Block& block : catalog[position]) {
      if (overlap(block, taken)) continue;
      const std::int64_t* const behind =
          &best[(position + static_cast<std::size_t>(block.size)) * computes];
      for (auto left = static_cast<std::size_t>(block.compute); left < computes; ++left) {
        here[left] = std::max(here[left],
                              block.size + behind[left - static_cast<std::size_t>(block.compute)]);
      }
    }
  }
  return best[computes - 1];
}

/// What is neither `profile`'s nor coverable, at the start where that is least.
std::int64_t least_uncovered(const Profile& profile, const std::vector<Block>& catalog,
                             std::int64_t length, std::int64_t compute) {
  const BlocksByStart starts = by_start(catalog, length);
  std::vector<std::int64_t> best;
  std::optional<std::int64_t> least;
  for (const Block& taken : blocks_of(profile)) {
    if (least == 0) break;  // nothing is less
    const std::int64_t covered = most_covered(starts, taken, compute - taken.compute, best);
    const std::int64_t uncovered = length - taken.size - covered;
    least = std::min(least.value_or(uncovered), uncovered);
  }
  return least.value_or(0);
}

Bytes mixed_size_strand(const Device& device, const Profile& profile) {
  if (device.mixed_region_gib == 0) return {};
  std::vector<Block> catalog;
  for (const Profile* other : nesting_profiles(device)) {
    for (const Block& block : blocks_of(*other)) catalog.push_back(block);
  }
  return gib(least_uncovered(profile, catalog, device.mixed_region_gib, 0));
}

Bytes mig_strand(const Device& device, const Profile& profile) {
  std::vector<Block> catalog;
  for (const Profile& other : device.profiles) {
    if (other.technology != Technology::Mig || !other.attributes.empty()) continue;
    for (const Block& block : blocks_of(other)) catalog.push_back(block);
  }
  const std::int64_t slices =
      least_uncovered(profile, catalog, device.mig_memory_slices, device.mig_compute_slices);
  if (slices == 0) return {};
  return device.nvml_bytes.value_or(gib(device.nominal_gb)) * slices / device.mig_memory_slices;
}

Bytes same_size_strand(const Device& device, const Profile& profile) {
  for (const Profile& whole : device.profiles) {
    if (!is_time_sliced(whole) || !whole.is_full_size) continue;
    return std::max(Bytes(),
                    whole.frame_buffer_bytes - profile.frame_buffer_bytes * profile.max_per_gpu);
  }
  return {};
}

}  // namespace

bool nests(const Profile& small, const Profile& large) {
  if (!is_time_sliced(small) || !is_time_sliced(large)) return false;
  if (small.frame_buffer_bytes >= large.frame_buffer_bytes || !keeps_its_count(small)) return false;
  if (small.placement_ids.empty() || large.placement_ids.empty()) {
    return large.max_per_gpu > 0 && small.max_per_gpu % large.max_per_gpu == 0 &&
           small.frame_buffer_bytes * (small.max_per_gpu / large.max_per_gpu) <=
               large.frame_buffer_bytes;
  }
  const std::vector<Block> outer = blocks_of(large);
  return std::ranges::all_of(blocks_of(small), [&](const Block& inner) {
    return std::ranges::count_if(outer,
                                 [&](const Block& block) { return overlap(inner, block); }) == 1;
  });
}

std::vector<const Profile*> nesting_profiles(const Device& device) {
  std::vector<const Profile*> sizes;
  for (const Profile& profile : device.profiles) {
    if (is_time_sliced(profile)) sizes.push_back(&profile);
  }
  std::ranges::stable_sort(sizes, std::greater{},
                           [](const Profile* profile) { return profile->frame_buffer_bytes; });
  std::vector<const Profile*> chain;
  for (const Profile* profile : sizes) {
    if (chain.empty() ? profile->is_full_size : nests(*profile, *chain.back())) {
      chain.push_back(profile);
    }
  }
  return chain;
}

Bytes stranded_bytes(const Device& device, const Profile& profile, GpuMode mode) {
  if (profile.is_full_size || mode == GpuMode::Passthrough) return {};
  if (mode == GpuMode::SameSize) return same_size_strand(device, profile);
  if (mode == GpuMode::MixedSize) return mixed_size_strand(device, profile);
  if (profile.technology == Technology::Mig) return mig_strand(device, profile);
  for (const Profile& instance : device.profiles) {
    if (instance.technology == Technology::Mig && instance.name == profile.mig_profile) {
      return mig_strand(device, instance);
    }
  }
  return {};
}

}  // namespace gpushape::domain
