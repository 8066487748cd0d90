#include "place/plan_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "place/demand.hpp"
#include "place/failover.hpp"
#include "place/host_filters.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {
namespace {

using domain::ClusterHost;
using domain::GpuMode;
using domain::GpuUse;
using domain::HostBound;
using domain::HostPlan;

/// Hosts needed where the largest come first.
std::int64_t hosts_for(double need, std::vector<double> capacities) {
  std::ranges::sort(capacities, std::greater{});
  double sum = 0;
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    sum += capacities[i];
    if (sum >= need - 1e-9) return static_cast<std::int64_t>(i) + 1;
  }
  return static_cast<std::int64_t>(capacities.size()) + 1;
}

class HostPlanner {
 public:
  HostPlanner(const HostPlanInput& input, const std::vector<MixRequest>& mix)
      : input_(input), mix_(mix) {}

  HostPlan run() {
    plan_.copies = static_cast<std::int64_t>(mix_.size());
    plan_.mode = has_mixed(input_.pool.front()) ? GpuMode::MixedSize : GpuMode::SameSize;
    std::size_t most =
        input_.is_model ? std::min(mix_.size(), kMostPlannedHosts) : input_.pool.size();
    if (input_.most_hosts > 0) most = std::min(most, static_cast<std::size_t>(input_.most_hosts));
    if (!each_fits()) return std::move(plan_);
    find_bounds();
    bool all_refuted = true;
    int tries = 0;
    for (auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, plan_.least_hosts));
         count <= most; ++count) {
      Snapshot empty = snapshot_of(count);
      if (std::optional<Snapshot> full = in_some_order(empty)) return found(*full, all_refuted);
      if (tries++ >= kExactTries) {
        all_refuted = false;
        continue;
      }
      const JointPlacement joint = place_all(empty, named(empty), input_.most_steps);
      plan_.steps += joint.steps;
      if (joint.answer == Answer::Yes) {
        take(empty, joint);
        return found(empty, all_refuted);
      }
      // Of unequal hosts another choice of as many might do.
      all_refuted = all_refuted && joint.answer == Answer::No && input_.is_model;
      if (all_refuted) plan_.least_hosts = static_cast<std::int64_t>(count) + 1;
    }
    plan_.refusal = input_.is_model
                        ? fmt::format("more than {} hosts", most)
                        : fmt::format("the {} hosts do not hold the mix", input_.pool.size());
    return std::move(plan_);
  }

 private:
  static bool has_mixed(const ClusterHost& host) {
    return std::ranges::any_of(host.gpus, [](const domain::Gpu& gpu) {
      return std::ranges::find(gpu.allowed_modes, GpuMode::MixedSize) != gpu.allowed_modes.end();
    });
  }

  [[nodiscard]] Snapshot snapshot_of(std::size_t count) const {
    domain::Cluster cluster;
    for (std::size_t i = 0; i < count; ++i) {
      ClusterHost host = input_.pool[input_.is_model ? 0 : i];
      if (input_.is_model) host.name = fmt::format("host-{}", i + 1);
      cluster.hosts.push_back(std::move(host));
    }
    return {cluster, input_.devices};
  }

  [[nodiscard]] std::vector<NamedRequest> named(const Snapshot& snapshot) const {
    std::vector<NamedRequest> requests;
    for (const MixRequest& one : mix_) {
      requests.push_back({one.name, snapshot.compile(one.request)});
    }
    return requests;
  }

  /// A request that no host takes alone is refused by name.
  bool each_fits() {
    const Snapshot pool = snapshot_of(input_.is_model ? 1 : input_.pool.size());
    for (const MixRequest& one : mix_) {
      const Request request = pool.compile(one.request);
      std::string why;
      bool fits = false;
      for (std::size_t host = 0; host < pool.size() && !fits; ++host) {
        const std::optional<domain::Refusal> refusal = refusal_of(pool, host, request);
        fits = !refusal;
        if (fits || !why.empty()) continue;
        const auto row = std::ranges::find(filters(), *refusal, &FilterRow::refusal);
        const auto words = row->words(pool, host, request);
        why = fmt::format("{}, {}: wanted {}, found {}", words_of(one.request), name_of(*refusal),
                          words.wanted, words.found);
      }
      if (fits) continue;
      plan_.refusal = fmt::format("no host takes {}: {}", one.name, why);
      return false;
    }
    return true;
  }

  void add_bound(std::string resource, std::int64_t hosts, std::string says) {
    plan_.bounds.push_back({std::move(resource), hosts, std::move(says)});
    plan_.least_hosts = std::max(plan_.least_hosts, hosts);
  }

  void find_bounds() {
    const Snapshot pool = snapshot_of(input_.is_model ? std::min(mix_.size(), kMostPlannedHosts)
                                                      : input_.pool.size());
    bound_gpus(pool);
    bound_amounts(pool);
    bound_groups(pool);
    std::ranges::stable_sort(plan_.bounds, std::greater{}, &HostBound::hosts);
  }

  /// GPUs of one mode serve no other: those of every mode are added up.
  void bound_gpus(const Snapshot& pool) {
    GpuStates& states = pool.states();
    std::map<ShapeId, std::int64_t> copies;
    std::map<ShapeId, GpuUse> uses;
    std::int64_t whole = 0;
    double mig_memory = 0;
    double mig_compute = 0;
    double mixed = 0;
    std::int64_t same_size = 0;
    const bool is_mixed = plan_.mode == GpuMode::MixedSize;
    for (const MixRequest& one : mix_) {
      const Request request = pool.compile(one.request);
      double share = 1;
      double compute = 0;
      int slots = 1;
      bool takes_whole = request.gpus > 1 || one.request.use == GpuUse::Passthrough;
      for (std::size_t host = 0; host < std::min<std::size_t>(pool.size(), 64); ++host) {
        for (const StateId id : pool.row(host).gpus) {
          const GpuFit& fit = states.fit(id, request.shape);
          if (!fit.serves()) continue;
          takes_whole = takes_whole || fit.is_whole;
          share = std::min(share, fit.share);
          slots = std::max(slots, fit.slots);
          const DeviceGeometry& geometry = states.geometry(id);
          const int row = geometry.find(one.request.use, one.request.profile);
          if (row < 0 || geometry.mig_compute == 0) continue;
          compute = static_cast<double>(geometry.profiles[static_cast<std::size_t>(row)].compute) /
                    geometry.mig_compute;
        }
        if (input_.is_model) break;
      }
      if (takes_whole) {
        whole += request.gpus;
      } else if (one.request.use == GpuUse::Mig) {
        mig_memory += share;
        mig_compute += compute;
      } else if (is_mixed) {
        mixed += share;
      } else if (++copies[request.shape] % slots == 1 || slots == 1) {
        ++same_size;
      }
    }
    const auto up = [](double gpus) { return static_cast<std::int64_t>(std::ceil(gpus - 1e-9)); };
    const std::int64_t mig = up(std::max(mig_memory, mig_compute));
    const std::int64_t gpus = whole + mig + up(mixed) + same_size;
    std::vector<double> on_host;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      on_host.push_back(static_cast<double>(pool.row(i).gpus.size()));
    }
    std::string says = fmt::format("{} at least", gpus);
    if (whole > 0) says += fmt::format(", {} whole", whole);
    if (mig > 0) says += fmt::format(", {} in MIG", mig);
    if (same_size > 0) says += fmt::format(", {} for single sizes", same_size);
    if (mixed > 0) says += fmt::format(", {} for mixed sizes", up(mixed));
    add_bound("GPUs", hosts_for(static_cast<double>(gpus), std::move(on_host)), std::move(says));
  }

  void bound_amounts(const Snapshot& pool) {
    double cpu = 0;
    double memory = 0;
    for (const MixRequest& one : mix_) {
      cpu += static_cast<double>(one.request.millicores);
      memory += static_cast<double>(one.request.memory_bytes.count());
    }
    std::vector<double> cores;
    std::vector<double> bytes;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      cores.push_back(static_cast<double>(pool.row(i).free_millicores));
      bytes.push_back(static_cast<double>(pool.row(i).free_memory));
    }
    add_bound("CPU", hosts_for(cpu, std::move(cores)),
              fmt::format("{:.1f} cores", cpu / domain::kMillicoresPerCore));
    add_bound("memory", hosts_for(memory, std::move(bytes)),
              fmt::format("{:.0f} GiB", Bytes(static_cast<std::int64_t>(memory)).gib()));
  }

  /// Groups of linked GPUs: a host has so many disjoint domains of that size.
  void bound_groups(const Snapshot& pool) {
    std::map<int, std::int64_t> groups;
    for (const MixRequest& one : mix_) {
      if (one.request.gpus > 1 && one.request.needs_links)
        ++groups[static_cast<int>(one.request.gpus)];
    }
    for (const auto& [size, count] : groups) {
      std::vector<double> on_host;
      for (std::size_t i = 0; i < pool.size(); ++i) {
        on_host.push_back(disjoint(pool.row(i).domains, size));
      }
      add_bound(fmt::format("link domains of {}", size),
                hosts_for(static_cast<double>(count), std::move(on_host)),
                fmt::format("{} groups", count));
    }
  }

  /// No fewer than these can stand beside each other: the GPUs of all of them over their size.
  static double disjoint(const std::vector<GpuSet>& domains, int size) {
    GpuSet all = 0;
    for (const GpuSet domain : domains) {
      if (std::popcount(domain) == size) all |= domain;
    }
    return static_cast<double>(std::popcount(all) / size);
  }

  /// Largest first, in three orders, each on the first host that takes it.
  std::optional<Snapshot> in_some_order(const Snapshot& empty) const {
    using Key = std::tuple<std::int64_t, double, std::int64_t, std::int64_t>;
    const std::vector<NamedRequest> requests = named(empty);
    const auto share = [&](const NamedRequest& one) {
      double most = 0;
      for (const StateId id : empty.row(0).gpus) {
        const GpuFit& fit = empty.states().fit(id, one.request.shape);
        if (fit.serves()) most = std::max(most, fit.share);
      }
      return most;
    };
    for (const int order : {0, 1, 2}) {
      std::vector<std::pair<Key, const NamedRequest*>> sorted;
      for (const NamedRequest& one : requests) {
        const Request& request = one.request;
        Key key{request.gpus, share(one), request.memory, request.millicores};
        if (order == 1) key = {request.gpus, 0, request.millicores, request.memory};
        if (order == 2) key = {request.gpus, 0, request.memory, request.millicores};
        sorted.emplace_back(key, &one);
      }
      std::ranges::stable_sort(sorted, std::greater{}, [](const auto& one) { return one.first; });
      Snapshot snapshot = empty;
      const bool is_full =
          std::ranges::all_of(sorted, [&](const auto& one) { return put(snapshot, *one.second); });
      if (is_full) return snapshot;
    }
    return std::nullopt;
  }

  /// On the first host that takes it, on the GPU with least room.
  static bool put(Snapshot& snapshot, const NamedRequest& one) {
    for (std::size_t host = 0; host < snapshot.size(); ++host) {
      if (refusal_of(snapshot, host, one.request)) continue;
      const HostRow& row = snapshot.row(host);
      std::optional<Option> best;
      double least = 2;
      for (const Option& option : options(snapshot, row, one.request)) {
        double idle = 0;
        for (const int gpu : gpus_of(option.gpus)) {
          idle += snapshot.states().idle(row.gpus[static_cast<std::size_t>(gpu)]);
        }
        if (best && idle >= least) continue;
        best = option;
        least = idle;
      }
      if (!best) continue;
      snapshot.place(one.name, one.request, host, *best);
      return true;
    }
    return false;
  }

  void take(Snapshot& snapshot, const JointPlacement& joint) const {
    std::map<std::string, const MixRequest*> by_name;
    for (const MixRequest& one : mix_) by_name.emplace(one.name, &one);
    for (const Restart& restart : joint.restarts) {
      snapshot.place(restart.vm, snapshot.compile(by_name.at(restart.vm)->request), restart.host,
                     restart.option);
    }
  }

  HostPlan found(const Snapshot& full, bool all_refuted) {
    std::vector<bool> is_used(full.size(), false);
    for (const MixRequest& one : mix_) is_used[full.vms().at(one.name).host] = true;
    domain::Cluster cluster = full.cluster();
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
      if (is_used[i]) plan_.used.push_back(std::move(cluster.hosts[i]));
    }
    plan_.hosts = static_cast<std::int64_t>(plan_.used.size());
    plan_.is_proven = plan_.hosts <= plan_.least_hosts || (all_refuted && input_.is_model);
    if (plan_.is_proven) plan_.least_hosts = plan_.hosts;
    return std::move(plan_);
  }

  const HostPlanInput& input_;
  const std::vector<MixRequest>& mix_;
  HostPlan plan_;
};

}  // namespace

HostPlan plan_hosts(const HostPlanInput& input, const std::vector<MixRequest>& mix) {
  if (input.pool.empty()) {
    HostPlan plan;
    plan.refusal = "there is no host";
    return plan;
  }
  return HostPlanner(input, mix).run();
}

std::vector<ClusterHost> in_mixed_size(std::vector<ClusterHost> pool,
                                       std::span<const domain::Device> devices) {
  bool has_changed = false;
  for (ClusterHost& host : pool) {
    for (domain::Gpu& gpu : host.gpus) {
      if (!gpu.allocations.empty()) return {};
      const auto device = std::ranges::find(devices, gpu.device, &domain::Device::id);
      if (device == devices.end() || !device->supports_mixed_size) continue;
      const auto mode = std::ranges::find(gpu.allowed_modes, GpuMode::SameSize);
      if (mode == gpu.allowed_modes.end()) continue;
      *mode = GpuMode::MixedSize;
      has_changed = true;
    }
  }
  return has_changed ? std::move(pool) : std::vector<ClusterHost>();
}

}  // namespace gpushape::place
