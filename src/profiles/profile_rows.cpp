#include "profiles/profile_rows.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/edit_distance.hpp"
#include "profiles/memory_rules.hpp"

namespace gpushape::profiles {
namespace {

using document::Reader;
using domain::Profile;
using domain::Technology;

constexpr document::IntegerBounds kRowGib = {.least = 1, .most = 4096};
constexpr document::IntegerBounds kRowMib = {.least = 1, .most = 4096LL * 1024};
constexpr document::IntegerBounds kInstances = {.least = 1, .most = 1024};
constexpr document::IntegerBounds kSlices = {.least = 1, .most = 64};
constexpr document::IntegerBounds kStart = {.least = 0, .most = 4095};

/// "H100XM-40C" without its prefix is "40C"; a type without the prefix stands for itself.
std::string short_name_of(const std::string& type, const std::string& prefix) {
  if (!prefix.empty() && type.starts_with(prefix + "-")) return type.substr(prefix.size() + 1);
  return type;
}

/// "1g.24gb+me.all" has "me.all", "1g.24gb-me" has "-me".
std::vector<std::string> attributes_of(const std::string& name) {
  if (const std::size_t plus = name.find('+'); plus != std::string::npos) {
    return {name.substr(plus + 1)};
  }
  if (const std::size_t minus = name.find('-'); minus != std::string::npos) {
    return {name.substr(minus)};
  }
  return {};
}

/// The number before "gb" in "3g.40gb"; 0 where the name has another form.
std::int64_t gib_of_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return 0;
  std::int64_t number = 0;
  std::size_t digits = 0;
  for (std::size_t i = dot + 1; i < name.size() && digits < 5; ++i, ++digits) {
    if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) break;
    number = number * 10 + (name[i] - '0');
  }
  return number;
}

Bytes total_of(const domain::Device& device) {
  return device.nvml_bytes.value_or(gib(device.nominal_gb));
}

/// What all vGPU rows share. `max` is read first: the reservation depends on it.
Profile read_vgpu(Reader& row, const std::string& prefix, std::string_view fact) {
  Profile profile;
  profile.name = row.required_text("name");
  profile.type = row.required_text("type");
  profile.short_name = short_name_of(profile.type, prefix);
  profile.aliases = row.texts("aliases");
  profile.nominal_gib = row.required_integer("gib", kRowGib);
  if (const auto frame_buffer = row.integer("frameBufferMib", kRowMib)) {
    profile.frame_buffer_bytes = mib(*frame_buffer);
  } else {
    profile.frame_buffer_bytes = gib(profile.nominal_gib);
    profile.frame_buffer_is_published = false;
  }
  profile.max_per_gpu = std::max<std::int64_t>(1, row.required_integer("max", kInstances));
  profile.requires_release = row.text("requires").value_or("");
  profile.is_name_derived = !row.boolean("nameSeen").value_or(false);
  profile.source = fact;
  return profile;
}

FrameBuffer frame_buffer_of(const Profile& profile, const domain::Device& device,
                            Bytes compression) {
  return {.bytes = profile.frame_buffer_bytes,
          .max_per_gpu = profile.max_per_gpu,
          .ecc_takes_memory = device.error_correcting_outside_memory,
          .compression_bytes = compression};
}

void read_time_sliced_row(Reader& row, const std::string& prefix, domain::Device& device) {
  Profile profile = read_vgpu(row, prefix, "timeSliced");
  profile.is_full_size = row.boolean("fullSize").value_or(false);
  profile.technology = profile.is_full_size ? Technology::FullVgpu : Technology::TimeSliced;
  profile.peer_to_peer = row.boolean("peerToPeer").value_or(false);
  profile.max_per_gpu_mixed = row.integer("maxMixed", kInstances);
  profile.placement_ids = row.integers("starts", kStart);
  if (!profile.placement_ids.empty()) profile.placement_size = profile.nominal_gib;
  profile.multiprocessors = device.multiprocessors;
  const Bytes compression =
      mib(row.integer("compressionMib", {.least = 0, .most = 4096}).value_or(0));
  if (!profile.frame_buffer_is_published && profile.is_full_size) {
    profile.frame_buffer_bytes = std::min(profile.frame_buffer_bytes, total_of(device));
  }
  const FrameBuffer frame_buffer = frame_buffer_of(profile, device, compression);
  const Bytes reserved = reserved_bytes(frame_buffer);
  if (reserved >= profile.frame_buffer_bytes) {
    row.complain("gib", "a vGPU of this size has nothing left beside its reservation", "");
  }
  profile.usable_bytes = profile.frame_buffer_bytes - reserved;
  profile.usable_source = kReservationSource;
  profile.visible_bytes = guest_visible_bytes(frame_buffer);
  row.finish();
  device.profiles.push_back(std::move(profile));
}

void read_mig_row(Reader& row, domain::Device& device) {
  Profile profile;
  profile.technology = Technology::Mig;
  profile.name = row.required_text("name");
  profile.type = profile.name;
  profile.short_name = profile.name;
  profile.aliases = row.texts("aliases");
  profile.nominal_gib = gib_of_name(profile.name);
  profile.attributes = attributes_of(profile.name);
  profile.mig_profile_id = row.integer("id", {.least = 0, .most = 100'000});
  profile.compute_slices = row.required_integer("compute", kSlices);
  profile.memory_slices = row.required_integer("memory", kSlices);
  profile.multiprocessors = row.integer("multiprocessors", {.least = 1, .most = 1'000'000});
  profile.max_per_gpu = row.required_integer("max", kInstances);
  profile.placement_ids = row.integers("starts", kStart);
  if (!profile.placement_ids.empty()) profile.placement_size = profile.memory_slices;
  profile.requires_release = row.text("requires").value_or("");
  profile.source = "mig";
  if (const auto memory = row.integer("memoryMib", kRowMib)) {
    profile.frame_buffer_bytes = mib(*memory);
    profile.usable_bytes = profile.frame_buffer_bytes;
    profile.usable_source = kInstanceSource;
    profile.visible_bytes = instance_visible_bytes(profile.usable_bytes);
  } else if (device.mig_memory_slices > 0) {
    const Bytes share = total_of(device) * profile.memory_slices / device.mig_memory_slices;
    profile.frame_buffer_bytes = share;
    profile.frame_buffer_is_published = false;
    profile.usable_bytes =
        least_instance_bytes(total_of(device), profile.memory_slices, device.mig_memory_slices);
    profile.usable_source = kInstanceRuleSource;
    profile.visible_bytes = {profile.usable_bytes,
                             profile.usable_bytes + (share - profile.usable_bytes) / 2, share};
  }
  row.finish();
  device.profiles.push_back(std::move(profile));
}

/// "cpx_nps4" is CPX/NPS4 to amd-smi.
std::string modes_of(std::string name) {
  for (char& letter : name) {
    letter =
        letter == '_' ? '/' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

domain::Range part_of(const domain::Range& whole, std::int64_t parts) {
  return {whole.low / parts, whole.expected / parts, whole.high / parts};
}

void read_partition_row(Reader& row, domain::Device& device) {
  Profile profile;
  profile.technology = Technology::Partition;
  profile.name = row.required_text("name");
  profile.type = modes_of(profile.name);
  profile.short_name = profile.name;
  profile.aliases = row.texts("aliases");
  const std::int64_t parts = std::max<std::int64_t>(1, row.required_integer("parts", kSlices));
  if (device.partition_dies % parts != 0) {
    row.complain("parts", "the compute dies cannot be dealt out evenly to so many parts", "");
  }
  profile.max_per_gpu = parts;
  profile.is_full_size = parts == 1;
  profile.compute_slices = std::max<std::int64_t>(1, device.partition_dies / parts);
  profile.nominal_gib = device.nominal_gb / parts;
  profile.frame_buffer_bytes = gib(device.nominal_gb) / parts;
  profile.frame_buffer_is_published = false;
  profile.visible_bytes = part_of(device.visible_bytes, parts);
  profile.usable_bytes = profile.visible_bytes.expected;
  profile.usable_source = kPartitionSource;
  profile.requires_release = row.text("requires").value_or("");
  profile.source = "partitions";
  if (device.multiprocessors) profile.multiprocessors = *device.multiprocessors / parts;
  row.finish();
  device.profiles.push_back(std::move(profile));
}

const Profile* instance_of(Reader& row, const std::string& name, const domain::Device& device) {
  std::vector<std::string> names;
  for (const Profile& profile : device.profiles) {
    if (profile.technology != Technology::Mig) continue;
    if (profile.name == name) return &profile;
    names.push_back(profile.name);
  }
  if (!name.empty()) {
    row.complain("instance", "the device has no MIG profile '" + name + "'",
                 suggestion(name, names, "list it under mig"));
  }
  return nullptr;
}

void read_mig_backed_row(Reader& row, const std::string& prefix, domain::Device& device) {
  Profile profile = read_vgpu(row, prefix, "migBacked");
  profile.technology = Technology::MigBackedVgpu;
  profile.mig_profile = row.required_text("instance");
  profile.max_per_instance = row.integer("perInstance", kInstances).value_or(1);
  const Profile* instance = instance_of(row, profile.mig_profile, device);
  row.finish();
  if (instance == nullptr) return;
  profile.compute_slices = instance->compute_slices;
  profile.memory_slices = instance->memory_slices;
  profile.multiprocessors = instance->multiprocessors;
  profile.attributes = instance->attributes;
  const FrameBuffer frame_buffer = frame_buffer_of(profile, device, Bytes());
  const Bytes after_reservation = profile.frame_buffer_bytes - reserved_bytes(frame_buffer);
  if (profile.max_per_instance > 1) {
    profile.usable_bytes = after_reservation;
    profile.usable_source = kReservationSource;
    profile.visible_bytes = guest_visible_bytes(frame_buffer);
  } else {
    // The instance bounds what there is; the reservation, if it is taken here too, the low end.
    profile.usable_bytes = std::min(instance->usable_bytes, profile.frame_buffer_bytes);
    profile.usable_source = instance->usable_source;
    profile.visible_bytes = {std::min(after_reservation, profile.usable_bytes),
                             profile.usable_bytes,
                             std::max(instance->visible_bytes.high, profile.usable_bytes)};
  }
  device.profiles.push_back(std::move(profile));
}

}  // namespace

void read_time_sliced(Reader& group, domain::Device& device) {
  device.supports_time_sliced = true;
  const std::string prefix = group.required_text("typePrefix");
  device.supports_mixed_size = group.boolean("mixedSize").value_or(false);
  device.mixed_region_gib = group.integer("regionGib", kRowGib).value_or(0);
  device.several_vgpus_per_vm = group.text("severalPerVm").value_or("");
  for (Reader& row : group.mappings("profiles")) {
    read_time_sliced_row(row, prefix, device);
  }
  group.finish();
}

void read_mig(Reader& group, domain::Device& device) {
  device.supports_mig = true;
  device.mig_compute_slices = group.required_integer("computeSlices", kSlices);
  device.mig_memory_slices = group.required_integer("memorySlices", kSlices);
  device.mig_max_instances = group.required_integer("maxInstances", kSlices);
  for (Reader& row : group.mappings("profiles")) read_mig_row(row, device);
  group.finish();
}

void read_gpu_partitions(Reader& group, domain::Device& device) {
  device.partition_dies = group.required_integer("dies", kSlices);
  for (Reader& row : group.mappings("profiles")) read_partition_row(row, device);
  group.finish();
}

void read_mig_backed(Reader& group, domain::Device& device) {
  const std::string prefix = group.text("typePrefix").value_or("");
  for (Reader& row : group.mappings("profiles")) {
    read_mig_backed_row(row, prefix, device);
  }
  group.finish();
}

}  // namespace gpushape::profiles
