#include "profiles/check_device.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace gpushape::profiles {
namespace {

using domain::Device;
using domain::Profile;
using domain::Technology;

// Documented frame buffers may exceed the documented total a little: two 47C of a 94 GB H100 do by
// a few MiB, two 3-71C of an H200 by 0.7 %.
constexpr std::int64_t kMostOverPerMille = 30;

bool is_instance(const Profile& profile) {
  return profile.technology == Technology::Mig || profile.technology == Technology::MigBackedVgpu;
}

/// How many placements of one profile can stand at once: greedy by start is exact for equal sizes.
std::int64_t disjoint_count(const Profile& profile) {
  std::vector<std::int64_t> starts = profile.placement_ids;
  std::ranges::sort(starts);
  std::int64_t count = 0;
  std::int64_t free_from = 0;
  for (const std::int64_t start : starts) {
    if (start < free_from) continue;
    ++count;
    free_from = start + profile.placement_size;
  }
  return count;
}

class Checker {
 public:
  explicit Checker(const Device& device) : device_(device) {}

  Diagnostics run() {
    check_totals();
    check_names();
    for (const Profile& profile : device_.profiles) {
      profile_ = &profile;
      check_memory();
      check_placements();
      check_counts();
    }
    profile_ = nullptr;
    check_sources();
    return std::move(diagnostics_);
  }

 private:
  void complain(const std::string& message, std::string help = {}) {
    const std::string where =
        device_.id + (profile_ == nullptr ? std::string() : "/" + profile_->name);
    diagnostics_.push_back(complaint(where + ": " + message, std::move(help)));
  }

  void check_totals() {
    const domain::Range& visible = device_.visible_bytes;
    if (visible.low <= Bytes() || visible.low > visible.expected ||
        visible.expected > visible.high) {
      complain("the CUDA total is no range of positive sizes");
    }
    if (visible.high > gib(device_.nominal_gb)) complain("CUDA cannot see more than nominalGb");
    if (device_.nvml_bytes && visible.high > *device_.nvml_bytes) {
      complain("CUDA cannot see more than nvmlMib");
    }
    if (device_.under_wsl_bytes && (*device_.under_wsl_bytes < visible.high ||
                                    *device_.under_wsl_bytes > gib(device_.nominal_gb))) {
      complain("under WSL CUDA sees as much as otherwise, or all of nominalGb");
    }
    if (device_.free_at_start && device_.free_at_start->high > visible.high) {
      complain("more is free at the start than CUDA sees");
    }
    if (device_.nvml_bytes && *device_.nvml_bytes > gib(device_.nominal_gb) + gib(1)) {
      complain("nvmlMib is more than nominalGb");
    }
  }

  void check_names() {
    std::set<std::string_view> names;
    std::set<std::string_view> short_names;
    std::int64_t full_size = 0;
    for (const Profile& profile : device_.profiles) {
      if (!names.insert(profile.name).second) complain("'" + profile.name + "' stands there twice");
      if (!short_names.insert(profile.short_name).second) {
        complain("two profiles are '" + profile.short_name + "' for short");
      }
      if (profile.is_full_size) ++full_size;
    }
    if (device_.supports_time_sliced && full_size != 1 && !device_.profiles.empty()) {
      complain(std::to_string(full_size) + " full-size vGPU types", "mark one with fullSize: true");
    }
  }

  void check_memory() {
    const Profile& profile = *profile_;
    if (profile.usable_bytes <= Bytes()) complain("no usable memory");
    if (profile.usable_bytes > profile.frame_buffer_bytes) {
      complain("more usable memory than frame buffer");
    }
    const domain::Range& visible = profile.visible_bytes;
    if (visible.low > visible.expected || visible.expected > visible.high) {
      complain("the CUDA total is no range");
    }
    if (profile.technology == Technology::Mig && device_.nvml_bytes &&
        profile.usable_bytes * profile.max_per_gpu > *device_.nvml_bytes) {
      complain("all instances together exceed the device");
    }
    const Bytes whole = full_frame_buffer();
    if (profile.technology != Technology::Mig && whole > Bytes() &&
        profile.frame_buffer_is_published &&
        profile.frame_buffer_bytes * profile.max_per_gpu * 1000 >
            whole * (1000 + kMostOverPerMille)) {
      complain("all shares together exceed the frame buffer of the device");
    }
    if (profile.peer_to_peer && !profile.is_full_size) complain("only full size has peer traffic");
  }

  void check_placements() {
    const Profile& profile = *profile_;
    if (profile.placement_ids.empty()) return;
    const std::int64_t length =
        is_instance(profile) ? device_.mig_memory_slices : device_.mixed_region_gib;
    std::set<std::int64_t> starts;
    for (const std::int64_t start : profile.placement_ids) {
      if (start + profile.placement_size > length) {
        complain("start " + std::to_string(start) + " with size " +
                 std::to_string(profile.placement_size) + " ends after " + std::to_string(length));
      }
      if (!starts.insert(start).second) complain("start " + std::to_string(start) + " is repeated");
    }
    const std::int64_t fitting = disjoint_count(profile);
    const std::int64_t promised =
        is_instance(profile) ? profile.max_per_gpu : profile.max_per_gpu_mixed.value_or(0);
    if (fitting < promised) {
      complain("its placements hold " + std::to_string(fitting) + ", the table says " +
               std::to_string(promised));
    }
    if (!is_instance(profile) &&
        fitting != static_cast<std::int64_t>(profile.placement_ids.size())) {
      complain("its mixed-size placements overlap");
    }
  }

  void check_counts() {
    const Profile& profile = *profile_;
    if (profile.max_per_gpu_mixed && *profile.max_per_gpu_mixed > profile.max_per_gpu) {
      complain("more of it in mixed-size than in same-size mode");
    }
    if (!is_instance(profile)) return;
    const std::int64_t instances =
        profile.max_per_gpu / std::max<std::int64_t>(1, profile.max_per_instance);
    if (profile.compute_slices * instances > device_.mig_compute_slices) {
      complain("all instances together exceed the compute slices");
    }
    if (profile.memory_slices * instances > device_.mig_memory_slices) {
      complain("all instances together exceed the memory slices");
    }
    if (instances > device_.mig_max_instances) complain("more instances than the device takes");
    if (profile.multiprocessors && device_.multiprocessors &&
        *profile.multiprocessors * instances > *device_.multiprocessors) {
      complain("all instances together exceed the multiprocessors");
    }
  }

  /// Every figure that an answer may show names what it rests on.
  void check_sources() {
    const auto need = [&](bool is_given, std::string_view fact) {
      if (!is_given) return;
      if (std::ranges::find(device_.fact_sources, fact, &domain::FactSource::fact) ==
          device_.fact_sources.end()) {
        complain(std::string(fact) + " has no source", "name one under source:");
      }
    };
    need(device_.nominal_gb > 0, "memory.nominalGb");
    need(device_.nvml_bytes.has_value(), "memory.nvmlMib");
    need(device_.memory_gigabytes_per_second.has_value(), "memory.gigabytesPerSecond");
    need(device_.error_correcting_outside_memory, "memory.eccTakesMemory");
    need(!device_.compute_capability.empty(), "compute.capability");
    need(device_.multiprocessors.has_value(), "compute.multiprocessors");
    need(device_.tensor_peaks != domain::TensorPeaks{}, "compute.peakTflops");
    need(!device_.nvlink.kind.empty(), "nvlink");
    need(device_.watts.has_value(), "board.watts");
    need(device_.mmio_gib.has_value(), "board.mmioGib");
    need(device_.bar1_gib.has_value(), "board.bar1Gib");
    need(device_.supports_time_sliced, "timeSliced");
    need(device_.supports_mig, "mig");
    need(device_.partition_dies > 0, "partitions");
    need(device_.free_at_start.has_value(), "memory.freeAtStartGib");
    need(device_.under_wsl_bytes.has_value(), "memory.underWslGib");
    if (device_.visible_source.empty()) complain("the CUDA total has no source");
  }

  [[nodiscard]] Bytes full_frame_buffer() const {
    for (const Profile& profile : device_.profiles) {
      if (profile.is_full_size) return profile.frame_buffer_bytes;
    }
    return {};
  }

  const Device& device_;
  const Profile* profile_ = nullptr;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics check_device(const Device& device) { return Checker(device).run(); }

}  // namespace gpushape::profiles
