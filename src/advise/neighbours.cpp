#include "advise/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "advise/words.hpp"
#include "place/fit.hpp"

namespace gpushape::advise {
namespace {

using domain::GpuMode;
using domain::Neighbour;
using domain::Technology;

GpuMode mode_with(const Candidate& candidate, const domain::Device& device) {
  switch (candidate.shape.technology) {
    case Technology::Mig:
    case Technology::MigBackedVgpu:
      return GpuMode::Mig;
    case Technology::TimeSliced:
    case Technology::FullVgpu:
      return device.supports_mixed_size ? GpuMode::MixedSize : GpuMode::SameSize;
    case Technology::Passthrough:
      return GpuMode::Passthrough;
    default:
      return GpuMode::SameSize;
  }
}

/// The sizes that stand beside the chosen one: fractions of its technology, or of the one that the
/// rules prefer where the whole device is chosen; then the whole device.
std::vector<const Candidate*> sizes_of(const DeviceCase& device_case,
                                       const domain::RankedShape& chosen) {
  const bool is_fraction = chosen.shape.consumption_model == domain::ConsumptionModel::Fractional;
  const FractionMode mode = preferred_mode(device_case);
  std::vector<const Candidate*> sizes;
  if (device_case.full) sizes.push_back(&*device_case.full);
  for (const Candidate& fraction : device_case.fractions) {
    const bool is_of_kind = is_fraction ? fraction.shape.technology == chosen.shape.technology
                                        : mode_of(fraction.shape) == mode;
    const bool is_chosen = is_fraction && fraction.shape.profile == chosen.shape.profile;
    if (!is_of_kind || !(fraction.nests || is_chosen)) continue;
    // Two memory modes of one partition are one size: the chosen one stands for both.
    const bool is_repeated = fraction.shape.technology == Technology::Partition && !sizes.empty() &&
                             sizes.back()->shape.memory_bytes == fraction.shape.memory_bytes;
    if (is_repeated && !is_chosen) continue;
    if (is_repeated) sizes.pop_back();
    sizes.push_back(&fraction);
  }
  return sizes;
}

std::string name_of_size(const Candidate& size) {
  return size.shape.profile_short.empty() ? "whole" : size.shape.profile_short;
}

/// Sizes of which one lies on the device with one of `size`.
std::vector<std::string> beside(const Candidate& size, const std::vector<const Candidate*>& sizes,
                                const place::DeviceGeometry& geometry, bool is_mixed) {
  std::vector<std::string> names;
  if (size.profile == nullptr || size.profile->is_full_size) return names;
  for (const Candidate* other : sizes) {
    if (other->profile == nullptr) continue;
    const domain::ProfileFit fit =
        place::fit_profiles(geometry, is_mixed, {size.profile->name, other->profile->name});
    if (fit.is_legal) names.push_back(name_of_size(*other));
  }
  return names;
}

std::string refusal_of(const Candidate& size, const domain::RankedShape& chosen) {
  if (chosen.need_bytes <= size.shape.memory_bytes) return {};
  return fmt::format("the need of {} exceeds {} by {}", size_text(chosen.need_bytes),
                     size_text(size.shape.memory_bytes),
                     size_text(chosen.need_bytes - size.shape.memory_bytes));
}

}  // namespace

std::vector<Neighbour> neighbours_of(const DeviceCase& device_case,
                                     const domain::RankedShape& chosen) {
  if (chosen.shape.count > 1 || device_case.fractions.empty()) return {};
  const domain::Device& device = device_case.wish.device;
  const std::vector<const Candidate*> sizes = sizes_of(device_case, chosen);
  const auto here = std::ranges::find_if(sizes, [&](const Candidate* size) {
    return size->shape.profile == chosen.shape.profile &&
           size->shape.technology == chosen.shape.technology;
  });
  if (here == sizes.end() || sizes.size() < 2) return {};
  const auto at = static_cast<std::size_t>(here - sizes.begin());
  const std::size_t from = at == 0 ? 0 : at - 1;
  const std::size_t to = std::min(at + 2, sizes.size());
  const place::DeviceGeometry geometry = place::geometry_of(device);
  std::vector<Neighbour> neighbours;
  for (std::size_t i = from; i < to; ++i) {
    const Candidate& size = *sizes[i];
    Neighbour neighbour;
    neighbour.profile = name_of_size(size);
    neighbour.is_chosen = i == at;
    neighbour.memory_bytes = size.shape.memory_bytes;
    neighbour.mode = mode_with(size, device);
    neighbour.per_device = size.per_device;
    neighbour.stranded_bytes = size.stranded_bytes;
    neighbour.beside = beside(size, sizes, geometry, device.supports_mixed_size);
    if (i != at) neighbour.refusal = refusal_of(size, chosen);
    neighbours.push_back(std::move(neighbour));
  }
  return neighbours;
}

}  // namespace gpushape::advise
