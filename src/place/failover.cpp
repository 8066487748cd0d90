#include "place/failover.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "place/host_classes.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

class RestartSearch {
 public:
  RestartSearch(Snapshot snapshot, std::vector<NamedRequest> requests, std::int64_t most_steps)
      : snapshot_(std::move(snapshot)),
        requests_(std::move(requests)),
        most_steps_(most_steps),
        classes_(snapshot_, has_addresses(requests_)) {}

  JointPlacement run() {
    JointPlacement result;
    const bool found = place_from(0);
    result.steps = steps_;
    if (found) {
      result.answer = Answer::Yes;
      result.restarts = std::move(restarts_);
    } else {
      result.answer = steps_ > most_steps_ ? Answer::NotKnown : Answer::No;
    }
    return result;
  }

 private:
  static bool has_addresses(const std::vector<NamedRequest>& requests) {
    return std::ranges::any_of(requests, [](const NamedRequest& named) {
      return !named.request.asked.pci_addresses.empty();
    });
  }

  bool place_from(std::size_t next) {
    if (next == requests_.size()) return true;
    if (++steps_ > most_steps_) return false;
    auto state = std::make_pair(next, classes_.keys_of(snapshot_));
    if (refuted_.contains(state)) return false;
    const NamedRequest& wanted = requests_[next];
    std::set<HostKey> tried;
    for (std::size_t host = 0; host < snapshot_.size(); ++host) {
      if (refusal_of(snapshot_, host, wanted.request)) continue;
      if (!tried.insert(classes_.key_of(snapshot_, host)).second) continue;
      if (place_on(host, next)) return true;
    }
    if (steps_ <= most_steps_) refuted_.insert(std::move(state));
    return false;
  }

  bool place_on(std::size_t host, std::size_t next) {
    const NamedRequest& wanted = requests_[next];
    std::set<std::vector<StateId>> tried;
    for (const Option& option : options(snapshot_, snapshot_.row(host), wanted.request)) {
      if (!tried.insert(gpus_after(snapshot_, snapshot_.row(host), wanted.request, option))
               .second) {
        continue;
      }
      snapshot_.place(wanted.name, wanted.request, host, option);
      restarts_.push_back({.vm = wanted.name, .host = host, .option = option});
      if (place_from(next + 1)) return true;
      restarts_.pop_back();
      snapshot_.remove(wanted.name);
    }
    return false;
  }

  Snapshot snapshot_;
  std::vector<NamedRequest> requests_;
  std::int64_t most_steps_;
  std::int64_t steps_ = 0;
  HostClasses classes_;
  std::vector<Restart> restarts_;
  std::set<std::pair<std::size_t, std::vector<HostKey>>> refuted_;
};

/// Few choices first: several linked GPUs, then whole ones, then shares by size.
void order_by_difficulty(const Snapshot& snapshot, std::vector<NamedRequest>& requests) {
  const auto size_of = [&](const NamedRequest& named) {
    double share = 0;
    GpuStates& states = snapshot.states();
    for (std::size_t host = 0; host < snapshot.size(); ++host) {
      for (const StateId state : snapshot.row(host).gpus) {
        share = std::max(share, states.fit(state, named.request.shape).share);
      }
    }
    return share * named.request.gpus;
  };
  std::map<std::string, double> sizes;
  for (const NamedRequest& named : requests) sizes.emplace(named.name, size_of(named));
  std::ranges::stable_sort(requests, [&](const NamedRequest& a, const NamedRequest& b) {
    return std::tuple(-sizes.at(a.name), a.request.shape, -a.request.memory,
                      -a.request.millicores) <
           std::tuple(-sizes.at(b.name), b.request.shape, -b.request.memory, -b.request.millicores);
  });
}

/// The greedy view of an admission control that sees no devices.
bool cpu_and_memory_suffice(const Snapshot& snapshot, const std::vector<NamedRequest>& requests) {
  std::int64_t millicores = 0;
  std::int64_t memory = 0;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    if (!snapshot.row(host).is_up) continue;
    millicores += std::max<std::int64_t>(snapshot.row(host).free_millicores, 0);
    memory += std::max<std::int64_t>(snapshot.row(host).free_memory, 0);
  }
  for (const NamedRequest& named : requests) {
    millicores -= named.request.millicores;
    memory -= named.request.memory;
  }
  return millicores >= 0 && memory >= 0;
}

}  // namespace

JointPlacement place_all(const Snapshot& snapshot, std::vector<NamedRequest> requests,
                         std::int64_t most_steps) {
  order_by_difficulty(snapshot, requests);
  return RestartSearch(snapshot, std::move(requests), most_steps).run();
}

HostFailover failover_of(const Snapshot& snapshot, std::size_t host, std::int64_t most_steps) {
  HostFailover result;
  Snapshot rest = snapshot;
  rest.take_down(host);
  std::vector<NamedRequest> moving;
  for (const auto& [name, placed] : snapshot.vms()) {
    if (placed.host != host) continue;
    if (placed.request.asked.is_static) {
      result.pinned.push_back(name);
      continue;
    }
    result.vms.push_back(name);
    moving.push_back({.name = name, .request = placed.request});
  }
  // A restarted VM is a new one: its old place on the lost host does not come back.
  for (const NamedRequest& named : moving) rest.remove(named.name);
  result.cpu_and_memory_suffice = cpu_and_memory_suffice(rest, moving);
  result.joint = place_all(rest, std::move(moving), most_steps);
  return result;
}

}  // namespace gpushape::place
