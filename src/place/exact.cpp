#include "place/exact.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "place/fragmentation.hpp"
#include "place/host_classes.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

/// GPU capacity of one instance, as the first GPU of the cluster that knows the shape counts it.
double capacity_of(const Snapshot& snapshot, const Request& request) {
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    for (const StateId state : snapshot.row(host).gpus) {
      const GpuFit& fit = snapshot.states().fit(state, request.shape);
      if (fit.refusal != domain::Refusal::Model) return fit.share * request.gpus;
    }
  }
  return request.gpus;
}

double fill_of(const Snapshot& snapshot, std::size_t host, const Distribution& distribution) {
  return fragmentation_of(snapshot.states(), view_of(snapshot.row(host)), distribution).fill;
}

bool has_addresses(std::span<const Batch> batches) {
  return std::ranges::any_of(
      batches, [](const Batch& batch) { return !batch.request.asked.pci_addresses.empty(); });
}

class JointSearch {
 public:
  JointSearch(const Snapshot& snapshot, std::span<const Batch> batches,
              const Distribution& distribution, std::int64_t most_steps)
      : snapshot_(snapshot),
        distribution_(distribution),
        most_steps_(most_steps),
        classes_(snapshot, has_addresses(batches)) {
    for (const Batch& batch : batches) {
      batches_.push_back({.batch = &batch, .share = capacity_of(snapshot, batch.request)});
    }
    // Few choices first: what is large finds fewer places, and equal batches stand together.
    std::ranges::stable_sort(batches_, [](const Row& a, const Row& b) {
      const auto key = [](const Row& row) {
        const Request& request = row.batch->request;
        return std::tuple(-row.share, request.shape, -request.memory, -request.millicores);
      };
      return key(a) < key(b);
    });
    for (const WeighedRequest& row : distribution) probability_ += row.probability;
    for (std::size_t host = 0; host < snapshot.size(); ++host) {
      now_.fragmentation += fill_of(snapshot, host, distribution);
    }
    left_.assign(batches_.size() + 1, 0);
    for (std::size_t i = batches_.size(); i > 0; --i) {
      left_[i - 1] = left_[i] + batches_[i - 1].capacity();
    }
  }

  BestJoint run() {
    best_.asked = left_.front();
    best_.value = now_;  // nothing placed
    open_ = now_;
    has_open_ = false;
    from(0, 0);
    // What was left open and cannot pass the best leaves nothing to prove.
    best_.is_proven = !has_open_ || !is_better(open_, best_.value);
    best_.bound = best_.is_proven ? best_.value : open_;
    best_.steps = steps_;
    return std::move(best_);
  }

 private:
  struct Row {
    const Batch* batch = nullptr;
    double share = 0;  ///< GPU capacity of one instance
    [[nodiscard]] double capacity() const {
      return share * static_cast<double>(batch->names.size());
    }
  };
  struct Child {
    std::size_t host = 0;
    Option option;
    double fragmentation = 0;  ///< of the cluster, afterwards
  };

  /// What the rest of the tree cannot pass: everything that is left finds a place, and each one
  /// takes as much idle capacity out of reach as it fills.
  [[nodiscard]] JointValue bound(std::size_t batch, std::size_t instance, double fragmentation,
                                 double placed) const {
    double left = left_[batch];
    if (batch < batches_.size()) left -= batches_[batch].share * static_cast<double>(instance);
    return {.placed = placed + left, .fragmentation = fragmentation - probability_ * left};
  }

  /// True where the search has to end; what was not looked at is then counted as open.
  bool is_out_of_steps(const JointValue& unseen) {
    if (steps_ < most_steps_) return false;
    if (!has_open_ || is_better(unseen, open_)) open_ = unseen;
    has_open_ = true;
    return true;
  }

  void from(std::size_t batch, std::size_t instance) {
    if (batch == batches_.size()) {
      if (is_better(now_, best_.value)) {
        best_.value = now_;
        best_.places = places_;
      }
      return;
    }
    const JointValue most = bound(batch, instance, now_.fragmentation, now_.placed);
    if (!is_better(most, best_.value) || is_out_of_steps(most)) return;
    ++steps_;
    if (!is_new_question(batch, instance)) return;
    const Row& row = batches_[batch];
    const bool is_last = instance + 1 == row.batch->names.size();
    for (const Child& child : children(row.batch->request)) {
      const double placed = now_.placed + row.share;
      const JointValue unseen = bound(batch, instance + 1, child.fragmentation, placed);
      if (!is_better(unseen, best_.value) || is_out_of_steps(unseen)) continue;
      const JointValue before = now_;
      const std::string& name = row.batch->names[instance];
      snapshot_.place(name, row.batch->request, child.host, child.option);
      places_.push_back({.vm = name, .host = child.host, .option = child.option});
      now_ = {.placed = placed, .fragmentation = child.fragmentation};
      from(is_last ? batch + 1 : batch, is_last ? 0 : instance + 1);
      now_ = before;
      places_.pop_back();
      snapshot_.remove(name);
    }
    if (instance == 0) from(batch + 1, 0);  // without this batch
  }

  /// False where the same cluster stood before the same question with at least as much placed: the
  /// way on is the same. Fragmentation follows from the cluster.
  bool is_new_question(std::size_t batch, std::size_t instance) {
    const auto [row, is_new] =
        seen_.try_emplace({batch, instance, classes_.keys_of(snapshot_)}, rounded(now_.placed));
    if (is_new || row->second < rounded(now_.placed)) {
      row->second = rounded(now_.placed);
      return true;
    }
    return false;
  }

  /// Places that differ in what they leave, those with the least fragmentation first.
  std::vector<Child> children(const Request& request) {
    std::vector<Child> all;
    std::set<HostKey> seen_hosts;
    for (std::size_t host = 0; host < snapshot_.size(); ++host) {
      if (!takes(snapshot_, host, request)) continue;
      if (!seen_hosts.insert(classes_.key_of(snapshot_, host)).second) continue;
      const HostRow& row = snapshot_.row(host);
      const double rest = now_.fragmentation - fill_of(snapshot_, host, distribution_);
      std::set<std::vector<StateId>> seen_gpus;
      for (const Option& option : options(snapshot_, row, request)) {
        std::vector<StateId> gpus = gpus_after(snapshot_, row, request, option);
        const double own =
            fragmentation_of(snapshot_.states(), view_after(row, request, gpus), distribution_)
                .fill;
        if (!seen_gpus.insert(std::move(gpus)).second) continue;
        all.push_back({.host = host, .option = option, .fragmentation = rest + own});
      }
    }
    std::ranges::stable_sort(all, {},
                             [](const Child& child) { return rounded(child.fragmentation); });
    return all;
  }

  Snapshot snapshot_;
  const Distribution& distribution_;
  std::int64_t most_steps_;
  HostClasses classes_;
  std::vector<Row> batches_;
  std::vector<double> left_;  ///< GPU capacity of the batches from that one on
  double probability_ = 0;
  JointValue now_;
  std::vector<Restart> places_;
  BestJoint best_;
  JointValue open_;  ///< the best that the parts not looked at may hold
  bool has_open_ = false;
  std::int64_t steps_ = 0;
  std::map<std::tuple<std::size_t, std::size_t, std::vector<HostKey>>, double> seen_;
};

}  // namespace

bool is_better(const JointValue& a, const JointValue& b) {
  return std::pair(rounded(a.placed), -rounded(a.fragmentation)) >
         std::pair(rounded(b.placed), -rounded(b.fragmentation));
}

BestJoint best_joint(const Snapshot& snapshot, std::span<const Batch> batches,
                     const Distribution& distribution, std::int64_t most_steps) {
  return JointSearch(snapshot, batches, distribution, most_steps).run();
}

}  // namespace gpushape::place
