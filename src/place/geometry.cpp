#include "place/geometry.hpp"

#include <algorithm>

namespace gpushape::place {

using domain::GpuUse;
using domain::Profile;
using domain::Technology;

namespace {

std::vector<int> starts_of(const Profile& profile) {
  std::vector<int> starts;
  starts.reserve(profile.placement_ids.size());
  for (const std::int64_t start : profile.placement_ids) starts.push_back(static_cast<int>(start));
  // The whole device starts where it begins, published or not.
  if (starts.empty() && profile.is_full_size) starts.push_back(0);
  std::ranges::sort(starts);
  return starts;
}

std::vector<std::string> names_of(const Profile& profile) {
  std::vector<std::string> names = profile.aliases;
  for (const std::string& name : {profile.name, profile.type, profile.short_name}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

ProfileGeometry time_sliced(const Profile& profile) {
  return {.name = profile.short_name,
          .aliases = names_of(profile),
          .use = GpuUse::TimeSliced,
          .size = static_cast<int>(profile.nominal_gib),
          .starts = starts_of(profile),
          .max = static_cast<int>(profile.max_per_gpu),
          .compute = 0};
}

ProfileGeometry instance(const Profile& profile) {
  return {.name = profile.short_name,
          .aliases = names_of(profile),
          .use = GpuUse::Mig,
          .size = static_cast<int>(profile.memory_slices),
          .starts = starts_of(profile),
          .max = static_cast<int>(profile.max_per_gpu),
          .compute = static_cast<int>(profile.compute_slices)};
}

}  // namespace

int DeviceGeometry::find(GpuUse use, std::string_view name) const {
  const auto row = std::ranges::find_if(profiles, [&](const ProfileGeometry& profile) {
    return profile.use == use &&
           (profile.name == name ||
            std::ranges::find(profile.aliases, name) != profile.aliases.end());
  });
  return row == profiles.end() ? -1 : static_cast<int>(row - profiles.begin());
}

double DeviceGeometry::share(const ProfileGeometry& profile) const {
  const int axis = profile.use == GpuUse::Mig ? mig_slices : memory_gb;
  return axis == 0 ? 1.0 : static_cast<double>(profile.size) / axis;
}

DeviceGeometry geometry_of(const domain::Device& device) {
  DeviceGeometry geometry{.id = device.id,
                          .memory_gb = static_cast<int>(device.nominal_gb),
                          .mig_slices = static_cast<int>(device.mig_memory_slices),
                          .mig_compute = static_cast<int>(device.mig_compute_slices),
                          .profiles = {},
                          .shared_instances = {}};
  for (const Profile& profile : device.profiles) {
    if (profile.technology == Technology::Mig) geometry.profiles.push_back(instance(profile));
    if (profile.technology != Technology::TimeSliced &&
        profile.technology != Technology::FullVgpu && profile.technology != Technology::Partition) {
      continue;
    }
    geometry.profiles.push_back(time_sliced(profile));
    geometry.profiles.back().is_partition = profile.technology == Technology::Partition;
    if (profile.is_full_size) geometry.memory_gb = static_cast<int>(profile.nominal_gib);
  }
  // A MIG-backed vGPU takes the instance it owns.
  for (const Profile& profile : device.profiles) {
    if (profile.technology != Technology::MigBackedVgpu) continue;
    const int backing = geometry.find(GpuUse::Mig, profile.mig_profile);
    if (backing < 0) continue;
    if (profile.max_per_instance > 1) {
      geometry.shared_instances.push_back(
          {.name = profile.short_name,
           .aliases = names_of(profile),
           .instance = profile.mig_profile,
           .per_instance = static_cast<int>(profile.max_per_instance)});
    }
    std::ranges::copy(
        names_of(profile),
        std::back_inserter(geometry.profiles[static_cast<std::size_t>(backing)].aliases));
  }
  return geometry;
}

}  // namespace gpushape::place
