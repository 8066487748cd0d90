#include "place/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace gpushape::place {
namespace {

using domain::FittedProfile;
using domain::GpuMode;
using domain::GpuUse;
using domain::ProfileFit;

// Enough for every set that MIG allows (A100: some thousands of steps); mixed-size sets of many
// small shares have more layouts than anyone asks for.
constexpr std::int64_t kMostSteps = 200'000;

/// Copies of one profile, to be laid at ascending starts: equal copies are not told apart.
struct Copies {
  const ProfileGeometry* profile = nullptr;
  int count = 0;
};

/// Walks every layout of the copies along the axis. The first is kept, and every start that some
/// layout takes.
class Search {
 public:
  Search(std::vector<Copies> copies, int length)
      : copies_(std::move(copies)),
        starts_(copies_.size()),
        taken_(static_cast<std::size_t>(length), false) {}

  void run() { lay(0, 0, 0); }

  [[nodiscard]] std::int64_t layouts() const { return layouts_; }
  [[nodiscard]] bool is_exhausted() const { return steps_ < kMostSteps; }
  [[nodiscard]] const std::vector<std::pair<std::size_t, int>>& first() const { return first_; }
  [[nodiscard]] const std::set<int>& starts(std::size_t kind) const { return starts_[kind]; }

 private:
  void lay(std::size_t kind, int laid, std::size_t from) {
    if (kind == copies_.size()) {
      ++layouts_;
      if (layouts_ == 1) first_ = chosen_;
      for (const auto& [of, start] : chosen_) starts_[of].insert(start);
      return;
    }
    const Copies& copies = copies_[kind];
    if (laid == copies.count) {
      lay(kind + 1, 0, 0);
      return;
    }
    const std::vector<int>& starts = copies.profile->starts;
    for (std::size_t i = from; i < starts.size() && ++steps_ < kMostSteps; ++i) {
      if (!is_free(starts[i], copies.profile->size)) continue;
      mark(starts[i], copies.profile->size, true);
      chosen_.emplace_back(kind, starts[i]);
      lay(kind, laid + 1, i + 1);
      chosen_.pop_back();
      mark(starts[i], copies.profile->size, false);
    }
  }

  [[nodiscard]] bool is_free(int start, int size) const {
    if (start < 0 || static_cast<std::size_t>(start + size) > taken_.size()) return false;
    return std::none_of(taken_.begin() + start, taken_.begin() + start + size, std::identity());
  }

  void mark(int start, int size, bool is_taken) {
    std::fill(taken_.begin() + start, taken_.begin() + start + size, is_taken);
  }

  std::vector<Copies> copies_;
  std::vector<std::set<int>> starts_;
  std::vector<bool> taken_;
  std::vector<std::pair<std::size_t, int>> chosen_;
  std::vector<std::pair<std::size_t, int>> first_;
  std::int64_t layouts_ = 0;
  std::int64_t steps_ = 0;
};

/// Equal names together, the largest profile first: what has fewest places is laid first.
std::vector<Copies> copies_of(const std::vector<const ProfileGeometry*>& profiles) {
  std::vector<Copies> copies;
  for (const ProfileGeometry* profile : profiles) {
    const auto known = std::ranges::find(copies, profile, &Copies::profile);
    if (known == copies.end()) {
      copies.push_back({profile, 1});
    } else {
      ++known->count;
    }
  }
  std::ranges::stable_sort(copies, std::greater{},
                           [](const Copies& one) { return one.profile->size; });
  return copies;
}

int compute_of(const std::vector<const ProfileGeometry*>& profiles) {
  int compute = 0;
  for (const ProfileGeometry* profile : profiles) compute += profile->compute;
  return compute;
}

std::string over_limit(const std::vector<Copies>& copies) {
  for (const Copies& one : copies) {
    if (one.count > one.profile->max) {
      return fmt::format("{} x {}: one GPU holds at most {}", one.count, one.profile->name,
                         one.profile->max);
    }
  }
  return "";
}

void take_layout(const Search& search, const std::vector<Copies>& copies, ProfileFit& fit) {
  fit.layouts = search.layouts();
  fit.is_exhausted = search.is_exhausted();
  for (const auto& [kind, start] : search.first()) {
    const std::set<int>& starts = search.starts(kind);
    fit.placed.push_back({.name = copies[kind].profile->name,
                          .start = start,
                          .size = copies[kind].profile->size,
                          .legal_starts = {starts.begin(), starts.end()}});
  }
  std::ranges::sort(fit.placed, {}, &FittedProfile::start);
}

/// One size: as many as the table allows, one behind another.
void fit_same_size(const std::vector<Copies>& copies, ProfileFit& fit) {
  const Copies& only = copies.front();
  fit.mode = GpuMode::SameSize;
  fit.why = over_limit(copies);
  if (!fit.why.empty()) return;
  fit.is_legal = true;
  fit.layouts = 1;
  for (int i = 0; i < only.count; ++i) {
    const int start = i * only.profile->size;
    fit.placed.push_back({only.profile->name, start, only.profile->size, {start}});
  }
}

void search_layouts(const std::vector<Copies>& copies, ProfileFit& fit) {
  Search search(copies, fit.length);
  search.run();
  if (search.layouts() > 0) {
    fit.is_legal = true;
    take_layout(search, copies, fit);
    return;
  }
  int wanted = 0;
  for (const Copies& one : copies) wanted += one.count * one.profile->size;
  const char* unit = fit.mode == GpuMode::Mig ? "memory slices" : "GB";
  if (!search.is_exhausted()) {
    fit.is_exhausted = false;
    fit.why = fmt::format("no layout was found within {} steps", kMostSteps);
  } else if (wanted > fit.length) {
    fit.why = fmt::format("together they take {} of {} {}", wanted, fit.length, unit);
  } else {
    fit.why = fmt::format("{} of {} {} would do, but no legal starts leave all of them a place",
                          wanted, fit.length, unit);
  }
}

void fit_set(const DeviceGeometry& device, bool supports_mixed_size,
             const std::vector<const ProfileGeometry*>& profiles, ProfileFit& fit) {
  const std::vector<Copies> copies = copies_of(profiles);
  const bool is_mig = profiles.front()->use == GpuUse::Mig;
  if (std::ranges::any_of(profiles, [&](const ProfileGeometry* profile) {
        return profile->use != profiles.front()->use;
      })) {
    fit.why = "time-sliced shares and MIG instances exclude each other on one GPU";
    return;
  }
  fit.mode = is_mig ? GpuMode::Mig : GpuMode::MixedSize;
  fit.length = is_mig ? device.mig_slices : device.memory_gb;
  if (!is_mig && copies.size() == 1) {
    fit_same_size(copies, fit);
    return;
  }
  if (profiles.front()->is_partition) {
    fit.mode = GpuMode::SameSize;
    fit.why = "a GPU has one compute mode and one memory mode: all its partitions are alike";
    return;
  }
  if (!is_mig && !supports_mixed_size) {
    fit.mode = GpuMode::SameSize;
    fit.why = "shares of several sizes need mixed-size mode, which this GPU lacks";
    return;
  }
  if (is_mig) {
    fit.compute = device.mig_compute;
    fit.compute_used = compute_of(profiles);
    if (fit.compute_used > fit.compute) {
      fit.why =
          fmt::format("together they take {} of {} compute slices", fit.compute_used, fit.compute);
      return;
    }
    fit.why = over_limit(copies);
    if (!fit.why.empty()) return;
  }
  search_layouts(copies, fit);
}

/// vGPUs of one type that take turns in instances of their own.
struct Turns {
  const SharedInstance* type = nullptr;
  int count = 0;
};

/// True where the name is such a type's.
bool take_turn(const DeviceGeometry& device, const std::string& name, std::vector<Turns>& turns) {
  const auto type = std::ranges::find_if(device.shared_instances, [&](const SharedInstance& one) {
    return one.name == name || std::ranges::find(one.aliases, name) != one.aliases.end();
  });
  if (type == device.shared_instances.end()) return false;
  const auto known = std::ranges::find(turns, &*type, &Turns::type);
  if (known == turns.end()) {
    turns.push_back({&*type, 1});
  } else {
    ++known->count;
  }
  return true;
}

/// Fills the instances, one after another; the last may keep a place free.
void deal_out(const Turns& turns, ProfileFit& fit) {
  int left = turns.count;
  for (FittedProfile& placed : fit.placed) {
    if (left == 0) return;
    if (placed.name != turns.type->instance || !placed.vgpu.empty()) continue;
    placed.vgpu = turns.type->name;
    placed.vgpus = std::min(left, turns.type->per_instance);
    placed.most_vgpus = turns.type->per_instance;
    left -= placed.vgpus;
  }
}

}  // namespace

ProfileFit fit_profiles(const DeviceGeometry& device, bool supports_mixed_size,
                        const std::vector<std::string>& names) {
  ProfileFit fit;
  fit.device = device.id;
  std::vector<const ProfileGeometry*> profiles;
  std::vector<Turns> turns;
  for (const std::string& name : names) {
    if (take_turn(device, name, turns)) continue;
    int index = device.find(GpuUse::Mig, name);
    if (index < 0) index = device.find(GpuUse::TimeSliced, name);
    if (index < 0) {
      fit.why = fmt::format("{} has no profile {}", device.id, name);
      return fit;
    }
    profiles.push_back(&device.profiles[static_cast<std::size_t>(index)]);
  }
  for (const Turns& one : turns) {
    const int index = device.find(GpuUse::Mig, one.type->instance);
    const int instances = (one.count + one.type->per_instance - 1) / one.type->per_instance;
    for (int i = 0; i < instances; ++i) {
      profiles.push_back(&device.profiles[static_cast<std::size_t>(index)]);
    }
  }
  if (profiles.empty()) {
    fit.why = "no profile is named";
    return fit;
  }
  fit_set(device, supports_mixed_size, profiles, fit);
  if (!fit.is_legal) return fit;
  for (const Turns& one : turns) deal_out(one, fit);
  for (const ProfileGeometry& one : device.profiles) {
    if (one.use != profiles.front()->use || one.is_partition != profiles.front()->is_partition) {
      continue;
    }
    std::vector<const ProfileGeometry*> more = profiles;
    more.push_back(&one);
    ProfileFit larger;
    fit_set(device, supports_mixed_size, more, larger);
    if (larger.is_legal && larger.mode == fit.mode) fit.room.push_back(one.name);
  }
  return fit;
}

}  // namespace gpushape::place
