#include "advise/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advise/words.hpp"
#include "domain/profile_geometry.hpp"
#include "domain/profile_memory.hpp"

namespace gpushape::advise {

using domain::ConsumptionModel;
using domain::Device;
using domain::Platform;
using domain::Profile;
using domain::Shape;
using domain::Technology;

namespace {

bool is_mig(Technology technology) {
  return technology == Technology::Mig || technology == Technology::MigBackedVgpu;
}

bool is_partition(const Profile& profile) { return profile.technology == Technology::Partition; }

bool is_whole(const Profile& profile, const Device& device) {
  if (is_mig(profile.technology)) {
    return profile.memory_slices > 0 && profile.memory_slices >= device.mig_memory_slices;
  }
  return profile.is_full_size || profile.technology == Technology::FullVgpu;
}

bool is_offered(const Profile& profile, const Device& device, Platform platform) {
  if (is_whole(profile, device)) return false;
  return has_hypervisor(platform) ? profile.technology == Technology::TimeSliced ||
                                        profile.technology == Technology::MigBackedVgpu
                                  : profile.technology == Technology::Mig || is_partition(profile);
}

/// Section 6, step 2: a size of the halving catalog, down to one part in `nesting_parts`.
bool belongs_to_catalog(const Profile& profile, const std::vector<const Profile*>& nesting,
                        const Thresholds& thresholds) {
  if (is_mig(profile.technology) || is_partition(profile)) return true;
  return static_cast<double>(profile.max_per_gpu) <= thresholds.nesting_parts.value &&
         std::ranges::find(nesting, &profile) != nesting.end();
}

domain::GpuMode strictest_mode(const Profile& profile, const Device& device) {
  if (is_mig(profile.technology)) return domain::GpuMode::Mig;
  if (is_partition(profile)) return domain::GpuMode::SameSize;
  return device.supports_mixed_size ? domain::GpuMode::MixedSize : domain::GpuMode::SameSize;
}

/// A time-sliced profile's share of the cores when the device is full of it; an instance's own
/// slices under MIG.
double compute_share(const Profile& profile, const Device& device) {
  if (is_mig(profile.technology)) {
    return device.mig_compute_slices > 0 ? static_cast<double>(profile.compute_slices) /
                                               static_cast<double>(device.mig_compute_slices)
                                         : 0;
  }
  return profile.max_per_gpu > 0 ? 1.0 / static_cast<double>(profile.max_per_gpu) : 1.0;
}

const Profile* full_profile(const Device& device) {
  const auto found = std::ranges::find_if(device.profiles, [&](const Profile& profile) {
    return !is_mig(profile.technology) && !is_partition(profile) && is_whole(profile, device);
  });
  return found == device.profiles.end() ? nullptr : &*found;
}

bool stands_on_host(const Wish& wish) {
  return std::ranges::find(wish.host.gpus, wish.device.id, &domain::HostGpu::device) !=
         wish.host.gpus.end();
}

std::string interconnect_of(const Wish& wish) {
  return wish.device.boards.empty() ? wish.device.nvlink.kind
                                    : wish.device.boards.front().interconnect;
}

}  // namespace

bool goes_by(const Profile& profile, std::string_view name) {
  return domain::is_named(profile, name) || (!name.empty() && profile.mig_profile == name);
}

std::vector<Candidate> fraction_candidates(const Wish& wish, Platform platform,
                                           const std::optional<std::string>& wanted,
                                           const Thresholds& thresholds) {
  const Device& device = wish.device;
  const std::vector<const Profile*> nesting = domain::nesting_profiles(device);
  std::vector<Candidate> candidates;
  for (const Profile& profile : device.profiles) {
    if (!is_offered(profile, device, platform)) continue;
    if (!profile.attributes.empty() && !(wanted && goes_by(profile, *wanted))) continue;
    Candidate candidate;
    candidate.profile = &profile;
    candidate.nests = belongs_to_catalog(profile, nesting, thresholds);
    candidate.stranded_bytes =
        domain::stranded_bytes(device, profile, strictest_mode(profile, device));
    candidate.per_device = std::max<std::int64_t>(1, profile.max_per_gpu);
    candidate.shape = {.consumption_model = ConsumptionModel::Fractional,
                       .technology = profile.technology,
                       .device = device.id,
                       .profile = profile.name,
                       .profile_short = std::string(plain_name(profile)),
                       .count = 1,
                       .interconnect = "none",
                       .device_group = {},
                       .parallelism = {},
                       .is_mixed_size = false,
                       .compute_share = compute_share(profile, device),
                       .memory_bytes = profile.usable_bytes};
    candidates.push_back(std::move(candidate));
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    // Of equal memory, the fewer slices first: 3g stands twice on a device, 4g once (section 6).
    if (a.shape.memory_bytes != b.shape.memory_bytes) {
      return a.shape.memory_bytes > b.shape.memory_bytes;
    }
    if (a.shape.compute_share != b.shape.compute_share) {
      return a.shape.compute_share < b.shape.compute_share;
    }
    return a.profile < b.profile;  // rows of one table, in its order
  });
  return candidates;
}

std::optional<Candidate> full_candidate(const Wish& wish, Platform platform) {
  Candidate candidate;
  candidate.shape.consumption_model = ConsumptionModel::Full;
  candidate.shape.device = wish.device.id;
  candidate.shape.interconnect = "none";
  if (!has_hypervisor(platform)) {
    candidate.shape.technology = Technology::WholeGpu;
    candidate.shape.memory_bytes = domain::usable_bytes(wish.device, nullptr);
    return candidate;
  }
  const Profile* profile = full_profile(wish.device);
  if (profile == nullptr) return std::nullopt;
  candidate.profile = profile;
  candidate.shape.technology = Technology::FullVgpu;
  candidate.shape.profile = profile->name;
  candidate.shape.profile_short = profile->short_name;
  candidate.shape.memory_bytes = profile->usable_bytes;
  return candidate;
}

Candidate passthrough_candidate(const Wish& wish) {
  Candidate candidate;
  candidate.shape = {.consumption_model = ConsumptionModel::Passthrough,
                     .technology = Technology::Passthrough,
                     .device = wish.device.id,
                     .profile = {},
                     .profile_short = {},
                     .count = 1,
                     .interconnect = "none",
                     .device_group = {},
                     .parallelism = {},
                     .is_mixed_size = false,
                     .compute_share = 1,
                     .memory_bytes = domain::usable_bytes(wish.device, nullptr)};
  return candidate;
}

std::optional<Candidate> group_candidate(const Wish& wish, Platform platform,
                                         const domain::Parallelism& parallelism,
                                         std::int64_t count) {
  std::optional<Candidate> candidate = full_candidate(wish, platform);
  if (!candidate) return std::nullopt;
  Shape& shape = candidate->shape;
  shape.consumption_model = ConsumptionModel::MultiGpu;
  shape.count = count;
  shape.parallelism = parallelism;
  const bool is_linked = count <= link_domain_size(wish);
  shape.interconnect = is_linked ? interconnect_of(wish) : "pcie";
  if (is_linked && candidate->profile != nullptr && candidate->profile->peer_to_peer) {
    shape.device_group = fmt::format("Nvidia:{}@{}%NVLink", count, candidate->profile->name);
  }
  return candidate;
}

std::int64_t link_domain_size(const Wish& wish) {
  std::map<int, std::int64_t> domains;
  for (const domain::HostGpu& gpu : wish.host.gpus) {
    if (gpu.device == wish.device.id && gpu.link_domain >= 0) ++domains[gpu.link_domain];
  }
  std::int64_t largest = 1;
  for (const auto& [domain, gpus] : domains) largest = std::max(largest, gpus);
  if (largest > 1 || stands_on_host(wish) || wish.device.boards.empty()) return largest;
  for (const domain::LinkDomain& domain : wish.device.boards.front().link_domains) {
    largest = std::max(largest, static_cast<std::int64_t>(domain.gpus.size()));
  }
  return largest;
}

std::int64_t gpus_on_host(const Wish& wish) {
  const std::int64_t gpus =
      std::ranges::count(wish.host.gpus, wish.device.id, &domain::HostGpu::device);
  if (gpus > 0 || wish.device.boards.empty()) return gpus;
  return wish.device.boards.front().gpus;
}

FractionMode mode_of(const Shape& shape) {
  // The dies of a partition are its own, as the slices of an instance are.
  const bool is_apart = is_mig(shape.technology) || shape.technology == Technology::Partition;
  return is_apart ? FractionMode::Mig : FractionMode::TimeSliced;
}

}  // namespace gpushape::advise
