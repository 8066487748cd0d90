#include "place/plan_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "place/snapshot.hpp"

namespace gpushape::place {
namespace {

using domain::HostPlan;

/// What copies take together.
struct Need {
  double gpus = 0;
  double millicores = 0;
  double memory = 0;
};

Need operator+(const Need& a, const Need& b) {
  return {a.gpus + b.gpus, a.millicores + b.millicores, a.memory + b.memory};
}

Need least_of(const Need& a, const Need& b) {
  return {std::min(a.gpus, b.gpus), std::min(a.millicores, b.millicores),
          std::min(a.memory, b.memory)};
}

using Chosen = std::vector<std::size_t>;

constexpr std::int64_t kSplit = 20;  // ours

class ShapesPlanner {
 public:
  ShapesPlanner(const HostPlanInput& input, const std::vector<MixChoice>& mix)
      : input_(input), mix_(mix), pool_(cluster_of(input), input.devices) {}

  HostPlan run() {
    Chosen first(mix_.size(), 0);
    HostPlan refused;
    if (!take_first_that_fit(first, refused)) return refused;
    find_needs();
    evaluate(first);
    least_ = hosts_for(least_need(first, 0));
    if (!is_least()) descend();
    is_open_ = false;  // the search looks at all of them once more
    Chosen chosen = first;
    if (!is_least()) search(chosen, 0);
    return finish(first);
  }

 private:
  static domain::Cluster cluster_of(const HostPlanInput& input) {
    domain::Cluster cluster;
    cluster.hosts = input.pool;
    return cluster;
  }

  [[nodiscard]] std::vector<MixRequest> mix_of(const Chosen& chosen) const {
    std::vector<MixRequest> mix;
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      const auto& copies = mix_[i].shapes[chosen[i]].copies;
      mix.insert(mix.end(), copies.begin(), copies.end());
    }
    return mix;
  }

  /// Shapes that no host takes alone are left out; a workload without another is refused.
  bool take_first_that_fit(Chosen& first, HostPlan& refused) {
    fits_.resize(mix_.size());
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      const auto& shapes = mix_[i].shapes;
      for (const ShapeOption& shape : shapes) {
        HostPlan alone = plan_hosts(input_, {shape.copies.front()});
        fits_[i].push_back(alone.refusal.empty());
        if (&shape == &shapes.front()) refused = std::move(alone);
      }
      const auto found = std::ranges::find(fits_[i], true);
      if (found == fits_[i].end()) return false;
      first[i] = static_cast<std::size_t>(found - fits_[i].begin());
    }
    return true;
  }

  [[nodiscard]] Need need_of(const ShapeOption& shape) const {
    Need need;
    GpuStates& states = pool_.states();
    for (const MixRequest& copy : shape.copies) {
      const Request request = pool_.compile(copy.request);
      double share = 1;
      for (std::size_t host = 0; host < pool_.size(); ++host) {
        for (const StateId id : pool_.row(host).gpus) {
          const GpuFit& fit = states.fit(id, request.shape);
          if (fit.serves()) share = std::min(share, fit.share);
        }
      }
      need = need + Need{.gpus = share * request.gpus,
                         .millicores = static_cast<double>(request.millicores),
                         .memory = static_cast<double>(request.memory)};
    }
    return need;
  }

  void find_needs() {
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      constexpr double kMuch = std::numeric_limits<double>::max() / 1e6;
      Need least{kMuch, kMuch, kMuch};
      needs_.emplace_back();
      for (std::size_t k = 0; k < mix_[i].shapes.size(); ++k) {
        needs_[i].push_back(need_of(mix_[i].shapes[k]));
        if (fits_[i][k]) least = least_of(least, needs_[i].back());
      }
      least_needs_.push_back(least);
    }
  }

  /// Of the first `fixed` workloads as chosen, of the others at least.
  [[nodiscard]] Need least_need(const Chosen& chosen, std::size_t fixed) const {
    Need need;
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      need = need + (i < fixed ? needs_[i][chosen[i]] : least_needs_[i]);
    }
    return need;
  }

  [[nodiscard]] std::int64_t hosts_for(double need, double (*capacity)(const HostRow&)) const {
    std::vector<double> capacities;
    for (std::size_t host = 0; host < pool_.size(); ++host) {
      capacities.push_back(capacity(pool_.row(host)));
    }
    std::ranges::sort(capacities, std::greater{});
    std::int64_t hosts = 0;
    for (double sum = 0; sum < need - 1e-9;) {
      const std::size_t at = input_.is_model ? 0 : static_cast<std::size_t>(hosts);
      if (at >= capacities.size() || capacities[at] <= 0) break;  // refused elsewhere
      sum += capacities[at];
      ++hosts;
    }
    return std::max<std::int64_t>(hosts, 1);
  }

  [[nodiscard]] std::int64_t hosts_for(const Need& need) const {
    return std::max({hosts_for(need.gpus, gpus_of_row), hosts_for(need.millicores, cpu_of_row),
                     hosts_for(need.memory, memory_of_row)});
  }
  static double gpus_of_row(const HostRow& row) { return static_cast<double>(row.gpus.size()); }
  static double cpu_of_row(const HostRow& row) { return static_cast<double>(row.free_millicores); }
  static double memory_of_row(const HostRow& row) { return static_cast<double>(row.free_memory); }

  [[nodiscard]] bool has_plan() const { return best_.refusal.empty() && best_.hosts > 0; }
  [[nodiscard]] bool is_least() const { return has_plan() && best_.hosts <= least_; }

  /// True where it takes fewer hosts than any choice so far. What a choice leaves open stays open.
  bool evaluate(const Chosen& chosen) {
    ++tried_;
    HostPlanInput input = input_;
    if (has_plan()) input.most_hosts = best_.hosts - 1;
    if (tried_ > 1) input.most_steps /= kSplit;  // many choices, little time for each
    HostPlan plan = plan_hosts(input, mix_of(chosen));
    if (plan.refusal.empty()) {
      best_ = std::move(plan);
      chosen_ = chosen;
      return true;
    }
    if (!has_plan()) {
      best_ = std::move(plan);
      chosen_ = chosen;
      is_open_ = true;
    } else if (plan.least_hosts < best_.hosts) {
      is_open_ = true;
    }
    return false;
  }

  /// One workload at a time takes another shape, as long as that saves hosts.
  void descend() {
    for (bool has_improved = true; has_improved && !is_least();) {
      has_improved = false;
      for (std::size_t i = 0; i < mix_.size() && tried_ < kMostShapeChoices / 2; ++i) {
        for (std::size_t k = 0; k < mix_[i].shapes.size() && !is_least(); ++k) {
          Chosen other = chosen_;
          other[i] = k;
          if (k == chosen_[i] || !fits_[i][k] || !may_save(other, mix_.size())) continue;
          has_improved = evaluate(other) || has_improved;
        }
      }
    }
  }

  [[nodiscard]] bool may_save(const Chosen& chosen, std::size_t fixed) const {
    return !has_plan() || hosts_for(least_need(chosen, fixed)) < best_.hosts;
  }

  /// Every choice that may save hosts, the preferred shapes first.
  void search(Chosen& chosen, std::size_t next) {
    if (is_least() || !may_save(chosen, next)) return;
    if (next == mix_.size()) {
      if (tried_ >= kMostShapeChoices) {
        is_open_ = true;
      } else {
        evaluate(chosen);
      }
      return;
    }
    for (std::size_t k = 0; k < mix_[next].shapes.size() && !(is_open_ && is_spent()); ++k) {
      if (!fits_[next][k]) continue;
      chosen[next] = k;
      search(chosen, next + 1);
    }
  }
  [[nodiscard]] bool is_spent() const { return tried_ >= kMostShapeChoices; }

  HostPlan finish(const Chosen& first) {
    if (!has_plan()) return std::move(best_);
    best_.shape_choices = tried_;
    for (std::size_t i = 0; i < mix_.size(); ++i) {
      if (chosen_[i] == 0) continue;
      best_.other_shapes.push_back({.workload = mix_[i].name,
                                    .shape = mix_[i].shapes[chosen_[i]].words,
                                    .instead_of = mix_[i].shapes.front().words,
                                    .is_forced = chosen_[i] == first[i]});
    }
    const bool has_choice =
        std::ranges::any_of(mix_, [](const MixChoice& choice) { return choice.shapes.size() > 1; });
    if (!has_choice) return std::move(best_);
    best_.is_proven = is_least() || !is_open_;
    best_.least_hosts = best_.is_proven ? best_.hosts : least_;
    const Need need = least_need(chosen_, 0);
    constexpr double kMilli = 1000;
    best_.bounds = {
        {"GPUs", hosts_for(need.gpus, gpus_of_row),
         fmt::format("{:.2f} at least, each workload in its smallest shape", need.gpus)},
        {"CPU", hosts_for(need.millicores, cpu_of_row),
         fmt::format("{:.1f} cores at least", need.millicores / kMilli)},
        {"memory", hosts_for(need.memory, memory_of_row),
         fmt::format("{:.0f} GiB at least", Bytes(static_cast<std::int64_t>(need.memory)).gib())}};
    std::ranges::stable_sort(best_.bounds, std::greater{}, &domain::HostBound::hosts);
    return std::move(best_);
  }

  const HostPlanInput& input_;
  const std::vector<MixChoice>& mix_;
  Snapshot pool_;
  std::vector<std::vector<bool>> fits_;   ///< by workload and shape
  std::vector<std::vector<Need>> needs_;  ///< likewise
  std::vector<Need> least_needs_;
  HostPlan best_;
  Chosen chosen_;
  std::int64_t least_ = 1;
  std::int64_t tried_ = 0;
  bool is_open_ = false;  ///< some choice may still save hosts
};

}  // namespace

HostPlan plan_hosts(const HostPlanInput& input, const std::vector<MixChoice>& mix) {
  if (input.pool.empty()) {
    HostPlan plan;
    plan.refusal = "there is no host";
    return plan;
  }
  return ShapesPlanner(input, mix).run();
}

}  // namespace gpushape::place
