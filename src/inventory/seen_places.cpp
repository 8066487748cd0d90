// Where a holding goes on a GPU: its profile, and a legal start that is free.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "inventory/seen_parts.hpp"

namespace gpushape::inventory {

using domain::Device;
using domain::Gpu;
using domain::GpuMode;
using domain::GpuUse;
using domain::Profile;
using domain::Technology;

namespace {

/// The plain instance of that memory, and of that many multiprocessors where two sizes share a
/// memory (3g.40gb and 4g.40gb).
const Profile* instance_of(const Device& device, Bytes memory,
                           std::optional<std::int64_t> multiprocessors) {
  const auto distance = [&](const Profile& profile) {
    const std::int64_t cores =
        multiprocessors ? std::llabs(profile.multiprocessors.value_or(0) - *multiprocessors) : 0;
    return std::pair(std::llabs(profile.frame_buffer_bytes.count() - memory.count()), cores);
  };
  const Profile* best = nullptr;
  for (const Profile& profile : device.profiles) {
    const bool is_plain = profile.technology == Technology::Mig && profile.attributes.empty();
    if (is_plain && (best == nullptr || distance(profile) < distance(*best))) best = &profile;
  }
  constexpr std::int64_t kTenth = 10;  // ours: neighbours differ by half at least
  const bool is_near = best != nullptr && distance(*best).first * kTenth <= memory.count();
  return is_near ? best : nullptr;
}

bool overlaps(const Gpu& gpu, int start, int size) {
  return std::ranges::any_of(gpu.allocations, [&](const domain::GpuAllocation& other) {
    return start < other.start + other.size && other.start < start + size;
  });
}

/// A free legal start; the told one where there is one.
std::optional<int> start_on(const Target& target, const Profile& profile,
                            const std::optional<int>& told) {
  const int size = size_of(profile);
  if (told) return overlaps(*target.gpu, *told, size) ? std::nullopt : told;
  std::vector<std::int64_t> starts = profile.placement_ids;
  if (starts.empty()) starts.push_back(0);
  std::ranges::sort(starts);
  for (const std::int64_t start : starts) {
    if (!overlaps(*target.gpu, static_cast<int>(start), size)) return static_cast<int>(start);
  }
  return std::nullopt;
}

GpuMode sliced_mode(const Gpu& gpu) {
  const bool is_mixed =
      std::ranges::find(gpu.allowed_modes, GpuMode::MixedSize) != gpu.allowed_modes.end();
  return is_mixed ? GpuMode::MixedSize : GpuMode::SameSize;
}

}  // namespace

// Which profile a name is: short name, type, the name in the host's list, or an alias; a
/// MIG-backed vGPU stands for the instance that it owns.
const Profile* profile_of(const Device& device, GpuUse use, const std::string& name) {
  const auto is_named = [&](const Profile& profile) {
    return profile.short_name == name || profile.name == name || profile.type == name ||
           std::ranges::find(profile.aliases, name) != profile.aliases.end();
  };
  for (const Profile& profile : device.profiles) {
    if (!is_named(profile)) continue;
    const bool is_time_sliced =
        profile.technology == Technology::TimeSliced || profile.technology == Technology::FullVgpu;
    if (use == GpuUse::TimeSliced && is_time_sliced) return &profile;
    if (use != GpuUse::TimeSliced && profile.technology == Technology::Mig) return &profile;
    if (profile.technology == Technology::MigBackedVgpu && !profile.mig_profile.empty()) {
      return profile_of(device, GpuUse::Mig, profile.mig_profile);
    }
  }
  return nullptr;
}

const Profile* profile_of(const Device& device, const SeenHolding& holding) {
  if (!holding.profile.empty()) return profile_of(device, holding.use, holding.profile);
  return holding.memory ? instance_of(device, *holding.memory, holding.multiprocessors) : nullptr;
}

int size_of(const Profile& profile) {
  return static_cast<int>(profile.technology == Technology::Mig ? profile.memory_slices
                                                                : profile.nominal_gib);
}

// Where a share of a profile goes on one GPU; absent where there is no room.
std::optional<int> room_for(const Target& target, const Profile& profile,
                            const SeenHolding& holding) {
  const Gpu& gpu = *target.gpu;
  if (gpu.has_failed) return std::nullopt;
  if (profile.technology == Technology::Mig) {
    const bool may_be = gpu.mode ? *gpu.mode == GpuMode::Mig
                                 : gpu.allowed_modes.empty() ||
                                       std::ranges::find(gpu.allowed_modes, GpuMode::Mig) !=
                                           gpu.allowed_modes.end();
    if (!may_be || target.compute + profile.compute_slices > target.device->mig_compute_slices) {
      return std::nullopt;
    }
    return start_on(target, profile, holding.start);
  }
  const GpuMode mode = gpu.mode.value_or(sliced_mode(gpu));
  if (mode == GpuMode::MixedSize) return start_on(target, profile, holding.start);
  if (mode != GpuMode::SameSize) return std::nullopt;
  if (!gpu.profile.empty() && gpu.profile != profile.short_name) return std::nullopt;
  return std::cmp_less(gpu.allocations.size(), profile.max_per_gpu) ? std::optional(0)
                                                                    : std::nullopt;
}

void put(Target& target, const std::string& vm, const Profile& profile, int start) {
  Gpu& gpu = *target.gpu;
  const bool is_mig = profile.technology == Technology::Mig;
  if (!gpu.mode) gpu.mode = is_mig ? GpuMode::Mig : sliced_mode(gpu);
  if (*gpu.mode == GpuMode::SameSize) gpu.profile = profile.short_name;
  if (is_mig) target.compute += profile.compute_slices;
  gpu.allocations.push_back(
      {.vm = vm, .profile = profile.short_name, .start = start, .size = size_of(profile)});
}

}  // namespace gpushape::inventory
