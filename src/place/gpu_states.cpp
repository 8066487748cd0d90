#include "place/gpu_states.hpp"

#include <algorithm>
#include <utility>

#include "place/gpu_filters.hpp"

namespace gpushape::place {

using domain::GpuMode;
using domain::GpuUse;

namespace {

/// Of the shares of one GPU; real ones hold a few dozen.
constexpr std::size_t kMostCounted = 32'000;

}  // namespace

unsigned mode_bit(GpuMode mode) { return 1U << static_cast<unsigned>(mode); }

GpuStates::GpuStates(std::vector<DeviceGeometry> devices) : devices_(std::move(devices)) {}

int GpuStates::device(const std::string& id) {
  const auto found = std::ranges::find(devices_, id, &DeviceGeometry::id);
  if (found != devices_.end()) return static_cast<int>(found - devices_.begin());
  devices_.push_back({.id = id, .memory_gb = 0, .mig_slices = 0, .mig_compute = 0, .profiles = {}});
  return static_cast<int>(devices_.size()) - 1;
}

StateId GpuStates::intern(GpuState state) {
  std::ranges::sort(state.taken);
  if (state.taken.empty()) {
    state.mode.reset();
    state.profile = -1;
  }
  const auto [row, is_new] = ids_.try_emplace(state, static_cast<StateId>(states_.size()));
  if (!is_new) return row->second;
  facts_.push_back(
      {.idle = idle_of(state),
       .device = static_cast<std::int16_t>(state.device),
       .allocations = static_cast<std::int16_t>(std::min(state.taken.size(), kMostCounted)),
       .has_failed = state.has_failed,
       .is_same_size = serving_mode(state, GpuUse::TimeSliced) == GpuMode::SameSize});
  slots_.resize(slots_.size() + slots_stride_, -1);
  takes_whole_.resize(slots_.size());
  states_.push_back({.state = std::move(state), .fits = {}, .moves = {}, .moves_back = {}});
  return row->second;
}

ShapeId GpuStates::intern(const GpuShape& shape) {
  const auto [row, is_new] = shape_ids_.try_emplace(shape, static_cast<ShapeId>(shapes_.size()));
  if (is_new) shapes_.push_back(shape);
  if (shapes_.size() > slots_stride_) widen_slots();
  return row->second;
}

void GpuStates::widen_slots() {
  slots_stride_ *= 2;
  slots_.assign(states_.size() * slots_stride_, -1);  // learned again: this happens seldom
  takes_whole_.assign(slots_.size(), 0);
}

const GpuFit& GpuStates::fit(StateId id, ShapeId shape) {
  Entry& entry = states_[id];
  if (entry.fits.size() <= shape) entry.fits.resize(shapes_.size());
  std::optional<GpuFit>& fit = entry.fits[shape];
  if (!fit) fit = fit_of(entry.state, shapes_[shape]);
  return *fit;
}

int GpuStates::learn_slots(StateId id, ShapeId shape) {
  const GpuFit& answer = fit(id, shape);
  const int slots =
      answer.serves() ? std::clamp(answer.slots, 1, static_cast<int>(kMostCounted)) : 0;
  slots_[id * slots_stride_ + shape] = static_cast<std::int16_t>(slots);
  takes_whole_[id * slots_stride_ + shape] = answer.is_whole ? 1 : 0;
  return slots;
}

StateId GpuStates::after(StateId id, ShapeId shape, int start) {
  for (const Move& move : states_[id].moves) {
    if (move.shape == shape && move.start == start) return move.to;
  }
  GpuState next = states_[id].state;
  const GpuShape& wanted = shapes_[shape];
  const DeviceGeometry& device = devices_[static_cast<std::size_t>(next.device)];
  const int profile = device.find(wanted.use, wanted.profile);
  const bool has_profile = wanted.use != GpuUse::Passthrough && profile >= 0;
  next.mode = serving_mode(next, wanted.use);
  next.profile = next.mode == GpuMode::SameSize ? profile : -1;
  next.taken.push_back({.profile = has_profile ? profile : -1,
                        .start = start,
                        .size = has_profile
                                    ? device.profiles[static_cast<std::size_t>(profile)].size
                                    : device.memory_gb});
  const StateId to = intern(std::move(next));
  states_[id].moves.push_back({.shape = shape, .start = start, .to = to});
  return to;
}

StateId GpuStates::without(StateId id, ShapeId shape, int start) {
  for (const Move& move : states_[id].moves_back) {
    if (move.shape == shape && move.start == start) return move.to;
  }
  GpuState next = states_[id].state;
  const GpuShape& wanted = shapes_[shape];
  const DeviceGeometry& device = devices_[static_cast<std::size_t>(next.device)];
  const int profile =
      wanted.use == GpuUse::Passthrough ? -1 : device.find(wanted.use, wanted.profile);
  const auto share = std::ranges::find_if(next.taken, [&](const TakenShare& taken) {
    return taken.start == start && taken.profile == profile;
  });
  if (share != next.taken.end()) next.taken.erase(share);
  const StateId to = intern(std::move(next));
  states_[id].moves_back.push_back({.shape = shape, .start = start, .to = to});
  return to;
}

GpuFit GpuStates::fit_of(const GpuState& state, const GpuShape& shape) const {
  const DeviceGeometry& device = devices_[static_cast<std::size_t>(state.device)];
  const int index = device.find(shape.use, shape.profile);
  const bool is_passthrough = shape.use == GpuUse::Passthrough;
  const ProfileGeometry* profile =
      index < 0 ? nullptr : &device.profiles[static_cast<std::size_t>(index)];
  GpuFit fit;
  fit.is_whole = is_passthrough || (profile != nullptr && device.is_whole(*profile));
  fit.share = is_passthrough || profile == nullptr ? 1.0 : device.share(*profile);
  const GpuQuestion question{.state = state, .shape = shape, .device = device, .profile = profile};
  for (const GpuFilterRow& row : gpu_filters()) {
    if (row.passes(question)) continue;
    fit.refusal = row.refusal;
    return fit;
  }
  const bool has_starts = !is_passthrough && serving_mode(state, shape.use) != GpuMode::SameSize;
  fit.starts = has_starts ? free_starts(state, *profile) : std::vector<int>{0};
  fit.slots = static_cast<int>(fit.starts.size());
  if (is_passthrough) return fit;
  if (!has_starts) {
    fit.slots = profile->max - static_cast<int>(state.taken.size());
  } else if (shape.use == GpuUse::Mig) {
    const auto same =
        static_cast<int>(std::ranges::count(state.taken, index, &TakenShare::profile));
    fit.slots = std::min(fit.slots, profile->max - same);
    if (profile->compute > 0) {
      fit.slots = std::min(fit.slots, free_compute(state, device) / profile->compute);
    }
  }
  return fit;
}

double GpuStates::idle_of(const GpuState& state) const {
  if (state.has_failed) return 0;
  if (state.is_empty()) return 1;
  if (state.mode == GpuMode::Passthrough) return 0;
  const DeviceGeometry& device = devices_[static_cast<std::size_t>(state.device)];
  const GpuUse use = state.mode == GpuMode::Mig ? GpuUse::Mig : GpuUse::TimeSliced;
  const int axis = use == GpuUse::Mig ? device.mig_slices : device.memory_gb;
  return axis == 0 ? 0 : static_cast<double>(free_units(state, device, use)) / axis;
}

}  // namespace gpushape::place
