#include "place/size_choice.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "domain/profile_geometry.hpp"

namespace gpushape::place {
namespace {

using domain::Device;
using domain::GpuMode;
using domain::MixItem;
using domain::Profile;
using domain::Technology;

constexpr std::size_t kMostCandidates = 8;  // ours: 255 sets of sizes

int axis_size(const Profile& profile, GpuMode mode) {
  return static_cast<int>(mode == GpuMode::Mig ? profile.memory_slices : profile.nominal_gib);
}

Bytes device_total(const Device& device) {
  return device.nvml_bytes.value_or(gib(device.nominal_gb));
}

std::vector<const Profile*> candidates_of(const Device& device, GpuMode mode) {
  std::vector<const Profile*> sizes;
  if (mode == GpuMode::MixedSize) {
    for (const Profile* profile : domain::nesting_profiles(device)) {
      if (!profile->is_full_size && !profile->placement_ids.empty()) sizes.push_back(profile);
    }
  } else {
    for (const Profile& profile : device.profiles) {
      const bool is_instance =
          profile.technology == Technology::Mig && profile.attributes.empty() &&
          profile.memory_slices < device.mig_memory_slices && !profile.placement_ids.empty();
      if (mode == GpuMode::Mig ? is_instance : is_fraction(profile)) sizes.push_back(&profile);
    }
  }
  std::ranges::stable_sort(sizes, [&](const Profile* a, const Profile* b) {
    const auto key = [&](const Profile* one) {
      return std::make_tuple(axis_size(*one, mode), one->compute_slices, one->usable_bytes.count());
    };
    return key(a) > key(b);
  });
  // Two memory modes of one partition size are one size.
  const auto repeated = std::ranges::unique(sizes, [](const Profile* a, const Profile* b) {
    return a->technology == Technology::Partition && b->technology == Technology::Partition &&
           a->max_per_gpu == b->max_per_gpu;
  });
  sizes.erase(repeated.begin(), repeated.end());
  if (sizes.size() > kMostCandidates) sizes.resize(kMostCandidates);
  return sizes;
}

/// The most of the axis that further copies of the sizes can cover beside these contents.
std::int64_t most_added(const std::vector<PackedSize>& sizes, Contents& contents, int length,
                        int compute, std::size_t from) {
  std::int64_t most = 0;
  for (std::size_t i = from; i < sizes.size(); ++i) {
    if (contents[i] >= sizes[i].most) continue;
    ++contents[i];
    std::int64_t used = 0;
    std::int64_t slices = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      used += contents[k] * sizes[k].size;
      slices += contents[k] * sizes[k].compute;
    }
    const bool is_within = used <= length && (compute == 0 || slices <= compute);
    if (is_within && !lay_out(sizes, contents, length).empty()) {
      most = std::max(most, sizes[i].size + most_added(sizes, contents, length, compute, i));
    }
    --contents[i];
  }
  return most;
}

/// Same-size devices hold one size each: nothing to search.
Packing pack_apart(const std::vector<PackedSize>& sizes) {
  Packing packing;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::int64_t left = sizes[i].copies; left > 0; left -= sizes[i].most) {
      Contents contents(sizes.size(), 0);
      contents[i] = std::min<std::int64_t>(left, sizes[i].most);
      packing.devices.push_back(std::move(contents));
    }
  }
  packing.least = static_cast<std::int64_t>(packing.devices.size());
  packing.is_proven = true;
  return packing;
}

/// Packs the items into these sizes; absent where one of the sizes is not used or an item finds
/// none.
std::optional<PackedSizes> packed_with(const SharedPart& shared, std::vector<const Profile*> sizes,
                                       std::int64_t most_steps) {
  PackedSizes packed;
  packed.sizes = std::move(sizes);
  for (const Profile* profile : packed.sizes) {
    PackedSize size;
    size.size = axis_size(*profile, shared.mode);
    for (const std::int64_t start : profile->placement_ids) {
      size.starts.push_back(static_cast<int>(start));
    }
    const bool is_mixed = shared.mode == GpuMode::MixedSize;
    size.most =
        static_cast<int>(is_mixed ? profile->max_per_gpu_mixed.value_or(profile->max_per_gpu)
                                  : profile->max_per_gpu);
    if (shared.mode == GpuMode::Mig) size.compute = static_cast<int>(profile->compute_slices);
    packed.packed.push_back(std::move(size));
  }
  for (const MixItem* item : shared.items) {
    const auto size = smallest_holding(packed.sizes, item->need_bytes);
    if (!size) return std::nullopt;
    packed.size_of[item] = *size;
    packed.packed[*size].copies += item->copies;
    packed.surplus_bytes += (packed.sizes[*size]->usable_bytes - item->need_bytes) * item->copies;
  }
  if (std::ranges::any_of(packed.packed, [](const PackedSize& size) { return size.copies == 0; })) {
    return std::nullopt;
  }
  packed.packing = shared.mode == GpuMode::SameSize
                       ? pack_apart(packed.packed)
                       : pack(packed.packed, shared.length, shared.compute, most_steps);
  std::map<Contents, std::int64_t> known;
  for (const Contents& contents : packed.packing.devices) {
    const auto [entry, is_new] = known.try_emplace(contents, 0);
    if (is_new) entry->second = stranded_units(shared, packed, contents);
    packed.stranded_bytes += shared.unit_bytes * entry->second;
  }
  return packed;
}

}  // namespace

bool is_fraction(const Profile& profile) {
  return profile.technology == Technology::TimeSliced ||
         (profile.technology == Technology::Partition && !profile.is_full_size);
}

std::optional<std::size_t> smallest_holding(const std::vector<const Profile*>& sizes, Bytes need) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i]->usable_bytes < need) continue;
    const auto key = [&](std::size_t at) {
      return std::make_tuple(sizes[at]->memory_slices, sizes[at]->usable_bytes.count(),
                             sizes[at]->compute_slices);
    };
    if (!best || key(i) < key(*best)) best = i;
  }
  return best;
}

std::int64_t used_units(const std::vector<PackedSize>& sizes, const Contents& contents) {
  std::int64_t used = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) used += contents[i] * sizes[i].size;
  return used;
}

std::int64_t stranded_units(const SharedPart& shared, const PackedSizes& packed,
                            const Contents& contents) {
  const std::int64_t used = used_units(packed.packed, contents);
  if (shared.mode == GpuMode::SameSize) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (contents[i] == 0) continue;
      return std::max<std::int64_t>(
          0, shared.length - std::int64_t{packed.packed[i].most} * packed.packed[i].size);
    }
  }
  Contents grown = contents;
  return shared.length - used - most_added(packed.packed, grown, shared.length, shared.compute, 0);
}

std::optional<BestSizes> best_sizes(const SharedPart& shared, std::int64_t most_steps) {
  std::optional<BestSizes> best;
  std::int64_t least = 0;
  bool all_proven = true;
  const auto key = [](const PackedSizes& packed) {
    return std::make_tuple(packed.packing.devices.size(),
                           (packed.stranded_bytes + packed.surplus_bytes).count(),
                           packed.sizes.size());
  };
  const std::size_t sets = std::size_t{1} << shared.candidates.size();
  for (std::size_t set = 1; set < sets; ++set) {
    std::vector<const Profile*> sizes;
    for (std::size_t i = 0; i < shared.candidates.size(); ++i) {
      if ((set >> i & 1U) != 0) sizes.push_back(shared.candidates[i]);
    }
    if (sizes.size() > shared.items.size()) continue;  // one would not be used
    std::optional<PackedSizes> packed = packed_with(shared, std::move(sizes), most_steps);
    if (!packed) continue;
    least = best ? std::min(least, packed->packing.least) : packed->packing.least;
    all_proven = all_proven && packed->packing.is_proven;
    if (!best || key(*packed) < key(best->packed)) {
      best = BestSizes{*std::move(packed), 0, true};
    }
  }
  if (!best) return std::nullopt;
  best->least = least;
  best->is_proven = all_proven || std::cmp_equal(best->packed.packing.devices.size(), least);
  return best;
}

SharedPart shared_part(const Device& device, GpuMode mode) {
  SharedPart shared;
  shared.mode = mode;
  shared.candidates = candidates_of(device, mode);
  if (mode == GpuMode::Mig) {
    shared.length = static_cast<int>(device.mig_memory_slices);
    shared.compute = static_cast<int>(device.mig_compute_slices);
    if (shared.length > 0) shared.unit_bytes = device_total(device) / shared.length;
  } else {
    shared.length =
        static_cast<int>(mode == GpuMode::MixedSize ? device.mixed_region_gib : device.nominal_gb);
    shared.unit_bytes = gib(1);
    for (const Profile& profile : device.profiles) {
      if (mode == GpuMode::SameSize && profile.is_full_size) {
        shared.length = static_cast<int>(profile.nominal_gib);
      }
    }
  }
  return shared;
}

}  // namespace gpushape::place
