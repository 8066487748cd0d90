#include "domain/profile_memory.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/edit_distance.hpp"

namespace gpushape::domain {
namespace {

bool is_vgpu(Technology technology) {
  return technology == Technology::TimeSliced || technology == Technology::FullVgpu ||
         technology == Technology::MigBackedVgpu;
}

bool is_instance(Technology technology) {
  return technology == Technology::Mig || technology == Technology::MigBackedVgpu;
}

std::string normalized(std::string_view name) {
  std::string result;
  for (const char letter : name) {
    if (letter == ' ' || letter == '_') continue;
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

/// Another profile fits on the device beside this one.
bool leaves_room(const Device& device, const Profile& profile) {
  if (profile.is_full_size) return false;
  if (!is_instance(profile.technology)) return profile.max_per_gpu >= 2;
  return profile.memory_slices * 2 <= device.mig_memory_slices;
}

}  // namespace

std::string guest_product(const Profile& profile) {
  return (profile.name.starts_with("grid_") ? "GRID " : "NVIDIA ") + profile.type;
}

VisibleMemory visible_memory(const Device& device, const Profile* profile) {
  VisibleMemory memory{
      .device = device.id,
      .profile = {},
      .bytes = device.visible_bytes,
      .source = device.visible_source,
      .parent_bytes = device.nvml_bytes.value_or(gib(device.nominal_gb)),
      .is_mig = false,
      .vendor = device.vendor,
      .product_name = device.product_names.empty() ? device.name : device.product_names.front(),
      .compute_capability = device.compute_capability,
      .multiprocessors = device.multiprocessors};
  if (profile == nullptr) {
    if (device.under_wsl_bytes) {
      memory.under_linux = memory.bytes;
      memory.bytes.high = std::max(memory.bytes.high, *device.under_wsl_bytes);
    }
    if (device.free_at_start) memory.takeable_bytes = device.free_at_start->low;
    return memory;
  }
  memory.profile = profile->short_name;
  memory.bytes = profile->visible_bytes;
  memory.source = profile->usable_source;
  memory.is_mig = is_instance(profile->technology);
  if (memory.is_mig || profile->technology == Technology::Partition)
    memory.multiprocessors = profile->multiprocessors;
  if (is_vgpu(profile->technology)) {
    memory.parent_bytes = profile->frame_buffer_bytes;
    memory.product_name = guest_product(*profile);
    memory.takeable_bytes = profile->usable_bytes;
  }
  return memory;
}

Bytes usable_bytes(const Device& device, const Profile* profile) {
  if (profile != nullptr) return profile->usable_bytes;
  return device.free_at_start ? device.free_at_start->low : device.visible_bytes.expected;
}

bool is_named(const Profile& profile, std::string_view name) {
  const std::string wanted = normalized(name);
  if (wanted == normalized(profile.short_name) || wanted == normalized(profile.name) ||
      wanted == normalized(profile.type)) {
    return true;
  }
  return std::ranges::any_of(profile.aliases,
                             [&](const std::string& alias) { return wanted == normalized(alias); });
}

Result<const Profile*> find_profile(const Device& device, std::string_view name) {
  for (const Profile& profile : device.profiles) {
    if (is_named(profile, name)) return &profile;
  }
  if (device.profiles.empty()) {
    return failure(
        device.id + " has no profile '" + std::string(name) + "': it is only given out whole",
        "leave --profile out");
  }
  std::vector<std::string> short_names;
  std::vector<std::string> all_names;
  for (const Profile& profile : device.profiles) {
    short_names.push_back(profile.short_name);
    all_names.push_back(profile.short_name);
    all_names.push_back(profile.name);
  }
  std::string known = "its profiles are ";
  for (std::size_t i = 0; i < short_names.size(); ++i) {
    known += (i == 0 ? "" : ", ") + short_names[i];
  }
  return failure(device.id + " has no profile '" + std::string(name) + "'",
                 suggestion(name, all_names, known));
}

Bytes largest_fraction_bytes(const Device& device, std::optional<Technology> technology) {
  Bytes largest;
  for (const Profile& profile : device.profiles) {
    if (technology && profile.technology != *technology) continue;
    if (leaves_room(device, profile)) largest = std::max(largest, profile.usable_bytes);
  }
  return largest;
}

}  // namespace gpushape::domain
