// The rules that one GPU is held against, in their order: the first that fails is the reason why
// the GPU does not serve.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "place/gpu_states.hpp"

namespace gpushape::place {

struct GpuQuestion {
  const GpuState& state;
  const GpuShape& shape;
  const DeviceGeometry& device;
  const ProfileGeometry* profile = nullptr;  ///< of the shape on this device; nullptr: none
};

/// What stood against what, in words.
struct WantedFound {
  std::string wanted;
  std::string found;
};

struct GpuFilterRow {
  domain::Refusal refusal;
  bool (*passes)(const GpuQuestion&);
  WantedFound (*words)(const GpuQuestion&);
};

/// In the order of the checks.
std::span<const GpuFilterRow> gpu_filters();

/// The mode that a GPU would serve a use in: its own, or while it is empty the one allowed.
std::optional<domain::GpuMode> serving_mode(const GpuState& state, domain::GpuUse use);
/// Units of the axis that are free: GB, or MIG memory slices.
int free_units(const GpuState& state, const DeviceGeometry& device, domain::GpuUse use);
int free_compute(const GpuState& state, const DeviceGeometry& device);
/// Starts of the profile that overlap nothing, ascending.
std::vector<int> free_starts(const GpuState& state, const ProfileGeometry& profile);

}  // namespace gpushape::place
