#include "place/plan_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "domain/profile_geometry.hpp"

namespace gpushape::place {
namespace {

using domain::Device;
using domain::GpuMode;
using domain::MixItem;
using domain::PlannedGpus;
using domain::PlannedSize;
using domain::Profile;
using domain::ProfilePlan;
using domain::Technology;

constexpr const char* kWhole = "whole";
constexpr std::size_t kMostSizes = 3;       // RV-07
constexpr std::size_t kMostCandidates = 8;  // ours: 255 sets of sizes
constexpr std::int64_t kMostCopies = 100'000;

/// The part of the mix that shares devices of one mode.
struct Shared {
  GpuMode mode = GpuMode::Mig;
  std::vector<const Profile*> candidates;  ///< sizes that may be offered, largest first
  std::vector<const MixItem*> items;
  int length = 0;
  int compute = 0;
  Bytes unit_bytes;  ///< of the axis
};

/// One choice of sizes, packed.
struct Packed {
  std::vector<const Profile*> sizes;  ///< largest first
  std::vector<PackedSize> packed;
  std::map<const MixItem*, std::size_t> size_of;
  Packing packing;
  Bytes stranded_bytes;
  Bytes surplus_bytes;
};

int axis_size(const Profile& profile, GpuMode mode) {
  return static_cast<int>(mode == GpuMode::Mig ? profile.memory_slices : profile.nominal_gib);
}

Bytes device_total(const Device& device) {
  return device.nvml_bytes.value_or(gib(device.nominal_gb));
}

bool is_fraction(const Profile& profile) {
  return profile.technology == Technology::TimeSliced ||
         (profile.technology == Technology::Partition && !profile.is_full_size);
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

/// The smallest of the sizes that holds the need, fewest slices first.
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

std::int64_t used_of(const std::vector<PackedSize>& sizes, const Contents& contents) {
  std::int64_t used = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) used += contents[i] * sizes[i].size;
  return used;
}

/// Axis units that nothing of the plan can use on a device with these contents.
std::int64_t stranded_units(const Shared& shared, const Packed& packed, const Contents& contents) {
  const std::int64_t used = used_of(packed.packed, contents);
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
std::optional<Packed> packed_with(const Shared& shared, std::vector<const Profile*> sizes,
                                  std::int64_t most_steps) {
  Packed packed;
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

struct BestSizes {
  Packed packed;
  std::int64_t least = 0;  ///< of any set of sizes
  bool is_proven = true;
};

/// All sets of sizes; the fewest devices, the least that is lost to all or given beyond a need, the
/// fewest sizes.
std::optional<BestSizes> best_sizes(const Shared& shared, std::int64_t most_steps) {
  std::optional<BestSizes> best;
  std::int64_t least = 0;
  bool all_proven = true;
  const auto key = [](const Packed& packed) {
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
    std::optional<Packed> packed = packed_with(shared, std::move(sizes), most_steps);
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

PlannedGpus gpus_of(const Shared& shared, const Packed& packed, const Contents& contents) {
  PlannedGpus gpus;
  gpus.mode = shared.mode;
  gpus.length = shared.length;
  std::vector<std::vector<int>> starts;
  if (shared.mode != GpuMode::SameSize) starts = lay_out(packed.packed, contents, shared.length);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    for (std::int64_t copy = 0; copy < contents[i]; ++copy) {
      const int size = packed.packed[i].size;
      const auto at = static_cast<std::size_t>(copy);
      const int start = starts.empty() ? static_cast<int>(copy) * size : starts[i][at];
      gpus.shares.push_back({packed.sizes[i]->short_name, start, size});
    }
  }
  std::ranges::sort(gpus.shares, {}, &domain::PlannedShare::start);
  const std::int64_t stranded = stranded_units(shared, packed, contents);
  gpus.stranded_bytes = shared.unit_bytes * stranded;
  gpus.free_bytes =
      shared.unit_bytes * (shared.length - used_of(packed.packed, contents) - stranded);
  return gpus;
}

/// Adds what the sizes and devices of one packing are to the plan.
void take_packing(const Shared& shared, const BestSizes& best, ProfilePlan& plan) {
  const Packed& packed = best.packed;
  for (std::size_t i = 0; i < packed.sizes.size(); ++i) {
    PlannedSize size{packed.sizes[i]->short_name, packed.packed[i].copies, {}, {}};
    size.type = packed.sizes[i]->type;
    for (const MixItem* item : shared.items) {
      if (packed.size_of.at(item) == i) size.items.push_back(item->name);
    }
    plan.sizes.push_back(std::move(size));
  }
  std::map<Contents, std::int64_t, std::greater<>> counts;
  for (const Contents& contents : packed.packing.devices) ++counts[contents];
  for (const auto& [contents, count] : counts) {
    plan.gpus.push_back(gpus_of(shared, packed, contents));
    plan.gpus.back().count = count;
  }
  plan.devices += static_cast<std::int64_t>(packed.packing.devices.size());
  plan.least_devices += best.least;
  plan.is_proven = plan.is_proven && best.is_proven;
  plan.stranded_bytes += packed.stranded_bytes;
  plan.surplus_bytes += packed.surplus_bytes;
}

Shared shared_of(const Device& device, GpuMode mode) {
  Shared shared;
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

std::string mode_refusal(const Device& device, GpuMode mode) {
  if (!candidates_of(device, mode).empty()) return {};
  switch (mode) {
    case GpuMode::SameSize:
      return device.id + " has no sizes that it is shared by";
    case GpuMode::MixedSize:
      return device.supports_mixed_size ? "the placements of its sizes are not published"
                                        : device.id + " has no mixed-size mode";
    default:
      return device.id + " has no MIG";
  }
}

void note_sizes(const Device& device, const Shared& shared, ProfilePlan& plan) {
  if (shared.mode == GpuMode::SameSize && plan.sizes.size() > kMostSizes) {
    plan.notes.push_back(fmt::format(
        "RV-07: {} sizes in same-size mode: the first share of each locks a device, and full or "
        "multi-GPU requests find none; a fourth size wants mixed-size mode or MIG",
        plan.sizes.size()));
  }
  if (shared.mode != GpuMode::MixedSize) return;
  for (const MixItem* item : shared.items) {
    const Profile* exact = nullptr;
    for (const Profile& profile : device.profiles) {
      const bool holds = is_fraction(profile) && profile.usable_bytes >= item->need_bytes;
      if (holds && (exact == nullptr || profile.usable_bytes < exact->usable_bytes)) {
        exact = &profile;
      }
    }
    const bool nests =
        exact == nullptr || std::ranges::find(shared.candidates, exact) != shared.candidates.end();
    if (nests) continue;
    const Bytes strands = domain::stranded_bytes(device, *exact, GpuMode::MixedSize);
    const std::string note = fmt::format(
        "RV-08: {} would hold {} as well, but it does not nest: {:.0f} GiB beside one "
        "are lost to every nesting size",
        exact->short_name, item->name, strands.gib());
    if (strands > Bytes() && std::ranges::find(plan.notes, note) == plan.notes.end()) {
      plan.notes.push_back(note);
    }
  }
}

ProfilePlan plan_in_mode(const Device& device, const std::vector<MixItem>& mix, GpuMode mode,
                         std::int64_t most_steps) {
  ProfilePlan plan;
  plan.device = device.id;
  plan.mode = mode;
  plan.is_proven = true;
  plan.refusal = mode_refusal(device, mode);
  if (!plan.refusal.empty()) return plan;
  Shared shared = shared_of(device, mode);
  Shared apart = shared_of(device, GpuMode::Mig);  // who must not share with others' shares
  PlannedSize whole{kWhole, 0, {}, {}};
  std::int64_t whole_devices = 0;
  const Bytes largest =
      device.free_at_start ? device.free_at_start->low : device.visible_bytes.expected;
  for (const MixItem& item : mix) {
    const bool is_apart = item.needs_instance && mode != GpuMode::Mig;
    Shared& group = is_apart ? apart : shared;
    if (!item.is_whole && smallest_holding(group.candidates, item.need_bytes)) {
      group.items.push_back(&item);
      continue;
    }
    if (item.need_bytes > largest) {
      plan.refusal = fmt::format("{} needs {:.2f} GiB, {} has {:.2f}", item.name,
                                 item.need_bytes.gib(), device.id, largest.gib());
      return plan;
    }
    whole.copies += item.copies;
    whole.items.push_back(item.name);
    whole_devices += item.copies * std::max<std::int64_t>(1, item.gpus);
  }
  if (whole_devices > kMostCopies) {
    plan.refusal = "more devices than any plan is made for";
    return plan;
  }
  if (whole_devices > 0) {
    plan.sizes.push_back(std::move(whole));
    PlannedGpus gpus;
    gpus.mode = GpuMode::Passthrough;
    gpus.count = whole_devices;
    gpus.length = 1;
    gpus.shares.push_back({kWhole, 0, 1});
    plan.gpus.push_back(std::move(gpus));
    plan.devices = whole_devices;
    plan.least_devices = whole_devices;
  }
  for (const Shared* group : {&shared, &apart}) {
    if (group->items.empty()) continue;
    const std::optional<BestSizes> best = best_sizes(*group, most_steps);
    if (best) take_packing(*group, *best, plan);
  }
  note_sizes(device, shared, plan);
  return plan;
}

std::int64_t copies_of(const std::vector<MixItem>& mix) {
  std::int64_t copies = 0;
  for (const MixItem& item : mix) copies += std::min(item.copies, kMostCopies);
  return copies;
}

}  // namespace

std::vector<ProfilePlan> plan_profiles(const Device& device, const std::vector<MixItem>& mix,
                                       std::int64_t most_steps) {
  std::vector<ProfilePlan> plans;
  if (copies_of(mix) > kMostCopies) {
    ProfilePlan plan;
    plan.device = device.id;
    plan.refusal = fmt::format("the mix has more than {} copies", kMostCopies);
    return {plan};
  }
  for (const GpuMode mode : {GpuMode::SameSize, GpuMode::MixedSize, GpuMode::Mig}) {
    plans.push_back(plan_in_mode(device, mix, mode, most_steps));
  }
  std::ranges::stable_sort(plans, [](const ProfilePlan& a, const ProfilePlan& b) {
    const auto key = [](const ProfilePlan& plan) {
      return std::make_tuple(!plan.refusal.empty(), plan.devices,
                             (plan.stranded_bytes + plan.surplus_bytes).count(), plan.sizes.size());
    };
    return key(a) < key(b);
  });
  return plans;
}

}  // namespace gpushape::place
