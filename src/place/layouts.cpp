#include "place/layouts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gpushape::place {
namespace {

/// A layout up to some unit of the axis, as far as the rest depends on it: how many of each profile
/// it holds, and which profiles would still fit one of its gaps.
struct Partial {
  std::vector<int> counts;
  unsigned long long fitting = 0;

  auto operator<=>(const Partial&) const = default;
};

using Partials = std::map<Partial, std::int64_t>;  // with the number of such layouts

struct Axis {
  int length = 0;
  int compute = 0;  ///< 0: not limited
  std::vector<const ProfileGeometry*> profiles;
};

unsigned long long fitting_in(const Axis& axis, int begin, int end) {
  unsigned long long fitting = 0;
  for (std::size_t i = 0; i < axis.profiles.size(); ++i) {
    const bool fits = std::ranges::any_of(axis.profiles[i]->starts, [&](int start) {
      return start >= begin && start + axis.profiles[i]->size <= end;
    });
    if (fits) fitting |= 1ULL << i;
  }
  return fitting;
}

bool is_mig(const Axis& axis) { return axis.compute > 0; }

int compute_of(const Axis& axis, const std::vector<int>& counts) {
  int compute = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) compute += counts[i] * axis.profiles[i]->compute;
  return compute;
}

/// True where compute slices and the limits of the profiles leave room for one more of `profile`.
bool allows_one_more(const Axis& axis, const std::vector<int>& counts, std::size_t profile) {
  if (!is_mig(axis)) return true;  // the starts are the limit
  return counts[profile] < axis.profiles[profile]->max &&
         compute_of(axis, counts) + axis.profiles[profile]->compute <= axis.compute;
}

bool is_maximal(const Axis& axis, const Partial& layout) {
  for (std::size_t i = 0; i < axis.profiles.size(); ++i) {
    if ((layout.fitting >> i & 1U) != 0 && allows_one_more(axis, layout.counts, i)) return false;
  }
  return true;
}

/// Adds every layout that goes on from `layouts`, which end at `end`, with one more profile.
void extend(const Axis& axis, int end, const Partials& layouts, std::vector<Partials>& by_end) {
  for (std::size_t i = 0; i < axis.profiles.size(); ++i) {
    for (const int start : axis.profiles[i]->starts) {
      const int next = start + axis.profiles[i]->size;
      if (start < end || next > axis.length) continue;
      const auto gap = fitting_in(axis, end, start);
      if (gap != 0 && !is_mig(axis)) continue;  // never maximal
      for (const auto& [layout, number] : layouts) {
        if (!allows_one_more(axis, layout.counts, i)) continue;
        Partial longer = layout;
        ++longer.counts[i];
        longer.fitting |= gap;
        by_end[static_cast<std::size_t>(next)][std::move(longer)] += number;
      }
    }
  }
}

int used_of(const Axis& axis, const std::vector<int>& counts) {
  int used = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) used += counts[i] * axis.profiles[i]->size;
  return used;
}

}  // namespace

LayoutCount count_layouts(const DeviceGeometry& device, domain::GpuUse use,
                          std::span<const std::string> profiles) {
  const bool is_mig_axis = use == domain::GpuUse::Mig;
  Axis axis{.length = is_mig_axis ? device.mig_slices : device.memory_gb,
            .compute = is_mig_axis ? device.mig_compute : 0,
            .profiles = {}};
  for (const std::string& name : profiles) {
    const int index = device.find(use, name);
    if (index >= 0) axis.profiles.push_back(&device.profiles[static_cast<std::size_t>(index)]);
  }
  std::vector<Partials> by_end(static_cast<std::size_t>(axis.length) + 1);
  by_end[0][Partial{.counts = std::vector<int>(axis.profiles.size()), .fitting = 0}] = 1;

  LayoutCount count;
  std::set<std::vector<int>> sets;
  double stranded_sum = 0;
  for (int end = 0; end <= axis.length; ++end) {
    const Partials& layouts = by_end[static_cast<std::size_t>(end)];
    if (layouts.empty()) continue;
    extend(axis, end, layouts, by_end);
    const auto tail = fitting_in(axis, end, axis.length);
    for (const auto& [partial, number] : layouts) {
      Partial layout = partial;
      layout.fitting |= tail;
      if (!is_maximal(axis, layout)) continue;
      const int stranded = axis.length - used_of(axis, layout.counts);
      const bool is_first = count.maximal_layouts == 0;
      count.least_stranded = is_first ? stranded : std::min(count.least_stranded, stranded);
      count.worst_stranded = is_first ? stranded : std::max(count.worst_stranded, stranded);
      count.maximal_layouts += number;
      stranded_sum += static_cast<double>(stranded) * static_cast<double>(number);
      sets.insert(layout.counts);
    }
  }
  count.distinct_profile_sets = static_cast<std::int64_t>(sets.size());
  if (count.maximal_layouts > 0) {
    count.mean_stranded = stranded_sum / static_cast<double>(count.maximal_layouts);
  }
  return count;
}

}  // namespace gpushape::place
