#include "place/gpu_filters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace gpushape::place {

using domain::GpuMode;
using domain::GpuUse;
using domain::Refusal;

namespace {

std::string name_of_use(const GpuQuestion& question) {
  if (question.shape.use == GpuUse::Passthrough) return "the whole device, passthrough";
  return fmt::format("{} {}", name_of(question.shape.use), question.shape.profile);
}

std::string unit_of(const GpuQuestion& question) {
  return question.shape.use == GpuUse::Mig ? "slices" : "GB";
}

std::string modes_of(const GpuState& state) {
  std::vector<std::string_view> modes;
  for (const auto& row : kNames<GpuMode>) {
    if (state.allows(row.value)) modes.push_back(row.name);
  }
  return modes.empty() ? "none" : fmt::format("{}", fmt::join(modes, ", "));
}

bool is_not_failed(const GpuQuestion& question) { return !question.state.has_failed; }
WantedFound failed_words(const GpuQuestion& /*question*/) {
  return {"a GPU in order", "the GPU has failed"};
}

bool is_model(const GpuQuestion& question) {
  const auto& devices = question.shape.devices;
  const bool is_listed =
      devices.empty() || std::ranges::find(devices, question.device.id) != devices.end();
  return is_listed && (question.shape.use == GpuUse::Passthrough || question.profile != nullptr);
}
WantedFound model_words(const GpuQuestion& question) {
  const auto& devices = question.shape.devices;
  if (devices.empty() || std::ranges::find(devices, question.device.id) != devices.end()) {
    return {name_of_use(question), fmt::format("{} has no such profile", question.device.id)};
  }
  return {fmt::format("{}", fmt::join(devices, " or ")), question.device.id};
}

bool is_label(const GpuQuestion& question) {
  return !question.shape.label || *question.shape.label == question.state.label;
}
WantedFound label_words(const GpuQuestion& question) {
  return {
      fmt::format("label '{}'", question.shape.label.value_or("")),
      question.state.label.empty() ? "no label" : fmt::format("label '{}'", question.state.label)};
}

bool is_mode(const GpuQuestion& question) {
  return serving_mode(question.state, question.shape.use).has_value();
}
WantedFound mode_words(const GpuQuestion& question) {
  return {name_of_use(question),
          question.state.mode
              ? fmt::format("{} mode until its last VM leaves", name_of(*question.state.mode))
              : fmt::format("empty, allowed modes: {}", modes_of(question.state))};
}

bool is_unlocked(const GpuQuestion& question) {
  return question.state.mode != GpuMode::SameSize ||
         (question.profile != nullptr &&
          &question.device.profiles.at(
              static_cast<std::size_t>(std::max(question.state.profile, 0))) == question.profile &&
          question.state.profile >= 0);
}
WantedFound lock_words(const GpuQuestion& question) {
  const int locked = question.state.profile;
  return {
      question.shape.profile,
      fmt::format("locked to {} in same-size mode",
                  locked < 0 ? "another profile"
                             : question.device.profiles[static_cast<std::size_t>(locked)].name)};
}

int count_of(const GpuState& state, const DeviceGeometry& device, const ProfileGeometry& profile) {
  const auto index = &profile - device.profiles.data();
  return static_cast<int>(std::ranges::count(state.taken, index, &TakenShare::profile));
}

bool has_capacity(const GpuQuestion& question) {
  if (question.shape.use == GpuUse::Passthrough) return question.state.is_empty();
  const ProfileGeometry& profile = *question.profile;
  if (serving_mode(question.state, question.shape.use) == GpuMode::SameSize) {
    return static_cast<int>(question.state.taken.size()) < profile.max;
  }
  if (free_units(question.state, question.device, question.shape.use) < profile.size) return false;
  return question.shape.use != GpuUse::Mig ||
         (free_compute(question.state, question.device) >= profile.compute &&
          count_of(question.state, question.device, profile) < profile.max);
}
WantedFound capacity_words(const GpuQuestion& question) {
  if (question.shape.use == GpuUse::Passthrough) return {"the whole device", "in use"};
  const ProfileGeometry& profile = *question.profile;
  if (serving_mode(question.state, question.shape.use) == GpuMode::SameSize) {
    return {fmt::format("one more {}", profile.name),
            fmt::format("{} of {} in use", question.state.taken.size(), profile.max)};
  }
  const int free = free_units(question.state, question.device, question.shape.use);
  if (free < profile.size) {
    return {fmt::format("{} {}", profile.size, unit_of(question)), fmt::format("{} free", free)};
  }
  if (free_compute(question.state, question.device) < profile.compute) {
    return {fmt::format("{} compute slices", profile.compute),
            fmt::format("{} free", free_compute(question.state, question.device))};
  }
  return {fmt::format("one more {}", profile.name),
          fmt::format("{} of {} in use", count_of(question.state, question.device, profile),
                      profile.max)};
}

bool has_start(const GpuQuestion& question) {
  if (question.shape.use == GpuUse::Passthrough ||
      serving_mode(question.state, question.shape.use) == GpuMode::SameSize) {
    return true;
  }
  return !free_starts(question.state, *question.profile).empty();
}
WantedFound alignment_words(const GpuQuestion& question) {
  const ProfileGeometry& profile = *question.profile;
  const int free = free_units(question.state, question.device, question.shape.use);
  if (profile.starts.empty()) {
    return {fmt::format("a start of {}", profile.name), "no placements are published for it"};
  }
  return {
      fmt::format("{} {} at {}", profile.size, unit_of(question), fmt::join(profile.starts, ", ")),
      fmt::format("{} free, none of these starts", free)};
}

constexpr auto kGpuFilters = std::to_array<GpuFilterRow>({
    {Refusal::GpuFailed, is_not_failed, failed_words},
    {Refusal::Model, is_model, model_words},
    {Refusal::Label, is_label, label_words},
    {Refusal::Mode, is_mode, mode_words},
    {Refusal::ProfileLock, is_unlocked, lock_words},
    {Refusal::Capacity, has_capacity, capacity_words},
    {Refusal::Alignment, has_start, alignment_words},
});

bool serves(GpuMode mode, GpuUse use) {
  switch (use) {
    case GpuUse::TimeSliced:
      return mode == GpuMode::SameSize || mode == GpuMode::MixedSize;
    case GpuUse::Mig:
      return mode == GpuMode::Mig;
    case GpuUse::Passthrough:
      return mode == GpuMode::Passthrough;
  }
  return false;
}

}  // namespace

std::span<const GpuFilterRow> gpu_filters() { return kGpuFilters; }

std::optional<GpuMode> serving_mode(const GpuState& state, GpuUse use) {
  if (state.mode) return serves(*state.mode, use) ? state.mode : std::nullopt;
  for (const auto& row : kNames<GpuMode>) {
    if (serves(row.value, use) && state.allows(row.value)) return row.value;
  }
  return std::nullopt;
}

int free_units(const GpuState& state, const DeviceGeometry& device, GpuUse use) {
  const int axis = use == GpuUse::Mig ? device.mig_slices : device.memory_gb;
  return std::accumulate(state.taken.begin(), state.taken.end(), axis,
                         [](int free, const TakenShare& share) { return free - share.size; });
}

int free_compute(const GpuState& state, const DeviceGeometry& device) {
  return std::accumulate(
      state.taken.begin(), state.taken.end(), device.mig_compute,
      [&](int free, const TakenShare& share) {
        return share.profile < 0
                   ? free
                   : free - device.profiles[static_cast<std::size_t>(share.profile)].compute;
      });
}

std::vector<int> free_starts(const GpuState& state, const ProfileGeometry& profile) {
  std::vector<int> starts;
  std::ranges::copy_if(profile.starts, std::back_inserter(starts), [&](int start) {
    return std::ranges::none_of(state.taken, [&](const TakenShare& share) {
      return start < share.start + share.size && share.start < start + profile.size;
    });
  });
  return starts;
}

}  // namespace gpushape::place
