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
#include "place/size_choice.hpp"

namespace gpushape::place {
namespace {

using domain::Device;
using domain::GpuMode;
using domain::MixItem;
using domain::PlannedGpus;
using domain::PlannedSize;
using domain::Profile;
using domain::ProfilePlan;

constexpr const char* kWhole = "whole";
constexpr std::size_t kMostSizes = 3;  // RV-07
constexpr std::int64_t kMostCopies = 100'000;

PlannedGpus gpus_of(const SharedPart& shared, const PackedSizes& packed, const Contents& contents) {
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
      shared.unit_bytes * (shared.length - used_units(packed.packed, contents) - stranded);
  return gpus;
}

/// Adds what the sizes and devices of one packing are to the plan.
void take_packing(const SharedPart& shared, const BestSizes& best, ProfilePlan& plan) {
  const PackedSizes& packed = best.packed;
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

std::string mode_refusal(const Device& device, const SharedPart& shared) {
  if (!shared.candidates.empty()) return {};
  switch (shared.mode) {
    case GpuMode::SameSize:
      return device.id + " has no sizes that it is shared by";
    case GpuMode::MixedSize:
      return device.supports_mixed_size ? "the placements of its sizes are not published"
                                        : device.id + " has no mixed-size mode";
    default:
      return device.id + " has no MIG";
  }
}

void note_sizes(const Device& device, const SharedPart& shared, ProfilePlan& plan) {
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
  SharedPart shared = shared_part(device, mode);
  plan.refusal = mode_refusal(device, shared);
  if (!plan.refusal.empty()) return plan;
  SharedPart apart = shared_part(device, GpuMode::Mig);  // who must not share with others' shares
  PlannedSize whole{kWhole, 0, {}, {}};
  std::int64_t whole_devices = 0;
  const Bytes largest =
      device.free_at_start ? device.free_at_start->low : device.visible_bytes.expected;
  for (const MixItem& item : mix) {
    const bool is_apart = item.needs_instance && mode != GpuMode::Mig;
    SharedPart& group = is_apart ? apart : shared;
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
  for (const SharedPart* group : {&shared, &apart}) {
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
