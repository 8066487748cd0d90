#include "simulate/hindsight.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "place/goodness.hpp"
#include "place/host_filters.hpp"

namespace gpushape::simulate {

using place::PlacedVm;
using place::Request;
using place::Snapshot;

namespace {

/// Ours: hosts that are cleared one after the other, those with the most idle GPUs first, and hosts
/// that their VMs may go to.
constexpr std::size_t kMostCleared = 8;
constexpr std::size_t kMostTargets = 16;

constexpr const char* kRequestName = "the request";  // no name of a VM holds a blank

/// The hosts that are up, those with the most idle GPUs first.
std::vector<std::size_t> by_idle(const Snapshot& now) {
  std::vector<std::size_t> hosts;
  for (std::size_t host = 0; host < now.size(); ++host) {
    if (now.row(host).is_up) hosts.push_back(host);
  }
  std::ranges::stable_sort(hosts, std::ranges::greater{},
                           [&](std::size_t host) { return now.row(host).idle; });
  return hosts;
}

}  // namespace

Rearranger::Rearranger(const Snapshot& first, const place::Distribution& distribution,
                       std::int64_t most_asks)
    : first_(first),
      distribution_(distribution),
      offers_(first_.states(), distribution),
      asks_left_(most_asks) {}

Hindsight Rearranger::judge(const Snapshot& now, const Request& request, double gpus) {
  if (!has_room(now, request, gpus)) return Hindsight::Unavoidable;
  const std::vector<std::size_t> hosts = by_idle(now);
  Snapshot scratch = now;
  for (std::size_t i = 0; i < std::min(hosts.size(), kMostCleared); ++i) {
    if (works(scratch, {hosts[i]}, request)) return Hindsight::Avoidable;
  }
  const bool is_small = hosts.size() <= kMostTargets;
  return is_small && works(scratch, hosts, request) ? Hindsight::Avoidable : Hindsight::Open;
}

/// Counts the GPUs that would serve the request if nothing ran on them.
bool Rearranger::has_room(const Snapshot& now, const Request& request, double gpus) const {
  double idle = 0;
  std::int64_t millicores = 0;
  std::int64_t memory = 0;
  place::GpuStates& states = now.states();
  for (std::size_t host = 0; host < now.size(); ++host) {
    const place::HostRow& row = now.row(host);
    if (!row.is_up) continue;
    bool serves = false;
    for (const place::StateId id : row.gpus) {
      place::GpuState empty = states.state(id);
      empty.taken.clear();
      if (states.slots(states.intern(std::move(empty)), request.shape) == 0) continue;
      idle += states.idle(id);
      serves = true;
    }
    if (!serves) continue;
    millicores += row.free_millicores;
    memory += row.free_memory;
  }
  constexpr double kHair = 1e-9;  // sums of shares
  return idle + kHair >= gpus && millicores >= request.millicores && memory >= request.memory;
}

double Rearranger::size_of(const Snapshot& now, const PlacedVm& placed) const {
  const place::HostRow& row = now.row(placed.host);
  const auto gpu = static_cast<std::size_t>(std::countr_zero(placed.option.gpus));
  if (gpu >= row.gpus.size()) return 0;
  return now.states().fit(row.gpus[gpu], placed.request.shape).share * placed.request.gpus;
}

/// Clears the hosts of the trace's VMs, places the request there, then the VMs, largest first.
/// Leaves `scratch` as it was.
bool Rearranger::works(Snapshot& scratch, const std::vector<std::size_t>& cleared,
                       const Request& request) {
  std::vector<Moved> moved;
  for (const auto& [vm, placed] : scratch.vms()) {
    if (std::ranges::find(cleared, placed.host) == cleared.end()) continue;
    if (first_.vms().contains(vm)) continue;
    moved.push_back({.vm = vm, .placed = placed, .size = size_of(scratch, placed)});
  }
  for (const Moved& one : moved) scratch.remove(one.vm);
  std::ranges::stable_sort(moved, {}, [](const Moved& one) {
    return std::tuple(-one.size, -one.placed.request.memory, one.placed.request.shape);
  });
  std::vector<std::size_t> targets = by_idle(scratch);
  targets.resize(std::min(targets.size(), kMostTargets));
  std::vector<std::string> done;
  const auto put = [&](const std::string& vm, const Request& wanted,
                       const std::vector<std::size_t>& hosts) {
    if (!place_best(scratch, vm, wanted, hosts)) return false;
    done.push_back(vm);
    return true;
  };
  const bool fits =
      put(kRequestName, request, cleared) && std::ranges::all_of(moved, [&](const Moved& one) {
        return put(one.vm, one.placed.request, targets);
      });
  for (const std::string& vm : done) scratch.remove(vm);
  for (const Moved& one : moved) {
    scratch.place(one.vm, one.placed.request, one.placed.host, one.placed.option);
  }
  return fits;
}

/// Where it leaves the most to what the trace asks for; false where no host takes it.
bool Rearranger::place_best(Snapshot& scratch, const std::string& vm, const Request& request,
                            const std::vector<std::size_t>& hosts) {
  const place::PolicyRow& policy = place::policies().back();
  std::optional<place::Choice> best;
  for (const std::size_t host : hosts) {
    if (--asks_left_ < 0) return false;
    const place::GpuSet serving = place::serving_gpus(scratch, host, request);
    if (serving == 0) continue;
    const place::HostChoice choice =
        policy.best_on_host({.snapshot = scratch,
                             .host = host,
                             .request = request,
                             .distribution = distribution_,
                             .weights = place::goodness_presets().front(),
                             .offers = offers_,
                             .serving = serving});
    if (!best || choice.key > best->key) {
      best = {.host = host, .option = choice.option, .key = choice.key};
    }
  }
  if (best) scratch.place(vm, request, best->host, best->option);
  return best.has_value();
}

}  // namespace gpushape::simulate
