#include "place/defragment.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "place/host_filters.hpp"

namespace gpushape::place {

namespace {

/// Ours: the sets of VMs that are tried, all hosts together.
constexpr std::int64_t kMostSets = 20'000;
constexpr std::int64_t kStepsOfOneSet = 2'000;

class Planner {
 public:
  Planner(const Snapshot& snapshot, const Request& request,
          const std::vector<domain::VirtualMachine>& vms)
      : snapshot_(snapshot), request_(request) {
    for (const domain::VirtualMachine& vm : vms) {
      if (can_move(vm)) pauses_.emplace(vm.name, vm.pause_seconds);
    }
    movable_.resize(snapshot.size());
    for (const auto& [name, placed] : snapshot.vms()) {
      if (pauses_.contains(name)) movable_[placed.host].push_back(name);
    }
  }

  DefragmentPlan run(std::size_t most_moves) {
    DefragmentPlan plan;
    plan.most_moves = most_moves;
    for (std::size_t moves = 0; moves <= most_moves; ++moves) {
      for (std::size_t host = 0; host < snapshot_.size(); ++host) {
        if (!snapshot_.row(host).is_up) continue;
        std::vector<std::string> chosen;
        if (choose(host, 0, moves, chosen, plan)) return plan;
        if (sets_ > kMostSets) return plan;  // not known
      }
    }
    plan.answer = Answer::No;
    return plan;
  }

 private:
  /// Every set of that many movable VMs of the host.
  bool choose(std::size_t host, std::size_t from, std::size_t left,
              std::vector<std::string>& chosen, DefragmentPlan& plan) {
    if (left == 0) return ++sets_ <= kMostSets && works(host, chosen, plan);
    for (std::size_t i = from; i + left <= movable_[host].size(); ++i) {
      chosen.push_back(movable_[host][i]);
      if (choose(host, i + 1, left - 1, chosen, plan)) return true;
      chosen.pop_back();
      if (sets_ > kMostSets) return false;
    }
    return false;
  }

  bool works(std::size_t host, const std::vector<std::string>& chosen, DefragmentPlan& plan) {
    Snapshot without = snapshot_;
    std::vector<NamedRequest> moving;
    for (const std::string& vm : chosen) {
      moving.push_back({.name = vm, .request = snapshot_.vms().at(vm).request});
      without.remove(vm);
    }
    if (refusal_of(without, host, request_)) return false;
    for (const Option& option : options(without, without.row(host), request_)) {
      Snapshot with = without;
      with.place("the request", request_, host, option);
      const JointPlacement joint = place_all(with, moving, kStepsOfOneSet);
      if (joint.answer != Answer::Yes) continue;
      plan.answer = Answer::Yes;
      plan.host = host;
      plan.option = option;
      for (const Restart& restart : joint.restarts) {
        plan.moves.push_back({.vm = restart.vm,
                              .from = host,
                              .to = restart.host,
                              .option = restart.option,
                              .pause_seconds = pauses_.at(restart.vm)});
      }
      return true;
    }
    return false;
  }

  const Snapshot& snapshot_;
  const Request& request_;
  std::map<std::string, std::optional<double>> pauses_;
  std::vector<std::vector<std::string>> movable_;  ///< by host
  std::int64_t sets_ = 0;
};

}  // namespace

bool can_move(const domain::VirtualMachine& vm) {
  return vm.can_move && vm.request.use != domain::GpuUse::Passthrough && !vm.request.is_static;
}

DefragmentPlan defragment(const Snapshot& snapshot, const Request& request,
                          const std::vector<domain::VirtualMachine>& vms, std::size_t most_moves) {
  return Planner(snapshot, request, vms).run(most_moves);
}

}  // namespace gpushape::place
