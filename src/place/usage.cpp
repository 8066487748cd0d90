#include "place/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpushape::place {

using domain::Gpu;
using domain::GpuMode;
using domain::UsageMetric;
using domain::UsageSeries;

namespace {

/// A share of one GPU with its holder.
struct Holding {
  std::string holder;
  std::string team;
  double share = 0;  ///< of the device
  std::string profile;
};

Activity activity_of(const UsageSeries& series) {
  Activity activity;
  std::size_t idle_from = series.samples.size();
  for (std::size_t i = series.samples.size(); i-- > 0;) {
    if (series.samples[i].value >= kIdleBelow) break;
    idle_from = i;
  }
  double sum = 0;
  for (const domain::UsageSample& sample : series.samples) sum += sample.value;
  activity.mean = sum / static_cast<double>(series.samples.size());
  if (idle_from < series.samples.size()) {
    activity.idle_since = series.samples[idle_from].seconds;
    activity.is_idle_throughout = idle_from == 0;
  }
  return activity;
}

/// Two parts of one thing: idle since the last of them went idle.
void join_idle(std::optional<double>& since, bool& throughout, bool is_first,
               const Activity& activity) {
  if (is_first) {
    since = activity.idle_since;
    throughout = activity.is_idle_throughout;
    return;
  }
  if (!since || !activity.idle_since) {
    since.reset();
    throughout = false;
    return;
  }
  since = std::max(*since, *activity.idle_since);
  throughout = throughout && activity.is_idle_throughout;
}

class Weigher {
 public:
  Weigher(const Snapshot& snapshot, const domain::Cluster& cluster,
          std::span<const UsageSeries> series)
      : snapshot_(snapshot), cluster_(cluster), series_(series) {
    for (const domain::VirtualMachine& vm : cluster.vms) vms_.emplace(vm.name, &vm);
  }

  Usage run() {
    index();
    match();
    for (std::size_t host = 0; host < cluster_.hosts.size(); ++host) {
      for (std::size_t gpu = 0; gpu < cluster_.hosts[host].gpus.size(); ++gpu) {
        weigh(host, static_cast<int>(gpu));
      }
    }
    for (auto& [name, holder] : holders_) {
      add_reservation(holder);
      UsageTotal& team = teams_[holder.team];
      team.name = holder.team;
      team.allocated_gpus += holder.allocated_gpus;
      team.measured_gpus += holder.measured_gpus;
      team.work_gpus += holder.work_gpus;
      usage_.holders.push_back(std::move(holder));
    }
    for (auto& [name, team] : teams_) usage_.teams.push_back(std::move(team));
    return std::move(usage_);
  }

 private:
  using Place = std::pair<std::size_t, int>;

  /// By UUID, else by PCI address on the host, else by the host's own number.
  void index() {
    for (std::size_t host = 0; host < cluster_.hosts.size(); ++host) {
      const domain::ClusterHost& row = cluster_.hosts[host];
      for (std::size_t gpu = 0; gpu < row.gpus.size(); ++gpu) {
        const Gpu& each = row.gpus[gpu];
        const Place place(host, static_cast<int>(gpu));
        if (!each.uuid.empty()) by_uuid_.emplace(each.uuid, place);
        if (!each.pci_address.empty()) {
          by_name_.emplace(std::pair(row.name, each.pci_address), place);
        }
        by_name_.emplace(std::pair(row.name, std::to_string(gpu)), place);
      }
    }
  }

  [[nodiscard]] std::optional<Place> place_of(const UsageSeries& series) const {
    if (const auto found = by_uuid_.find(series.uuid); found != by_uuid_.end()) {
      return found->second;
    }
    for (const std::string& name : {series.pci_address, series.index}) {
      const auto found = by_name_.find({series.host, name});
      if (name.empty() || found == by_name_.end()) continue;
      const auto& [host, gpu] = found->second;
      const Gpu& row = cluster_.hosts[host].gpus[static_cast<std::size_t>(gpu)];
      // Two UUIDs that differ are two GPUs, whatever their numbers.
      const bool is_other = !row.uuid.empty() && !series.uuid.empty();
      if (!is_other) return found->second;
    }
    return std::nullopt;
  }

  void match() {
    std::set<std::string> unknown;
    bool is_first = true;
    for (const UsageSeries& series : series_) {
      const double first = series.samples.front().seconds;
      const double last = series.samples.back().seconds;
      usage_.first_seconds = is_first ? first : std::min(usage_.first_seconds, first);
      usage_.last_seconds = is_first ? last : std::max(usage_.last_seconds, last);
      is_first = false;
      if (const auto place = place_of(series)) {
        measured_[*place].push_back(&series);
      } else {
        unknown.insert(series.uuid.empty() ? fmt::format("{} gpu {}", series.host, series.index)
                                           : series.uuid);
      }
    }
    usage_.unknown.assign(unknown.begin(), unknown.end());
  }

  [[nodiscard]] std::vector<Holding> holdings_of(const Gpu& gpu,
                                                 const DeviceGeometry& device) const {
    std::vector<Holding> holdings;
    if (!gpu.shares.empty()) {
      for (const domain::SoftwareShare& share : gpu.shares) {
        double part = share.fraction.value_or(0);
        if (!share.fraction && share.memory_bytes && device.memory_gb > 0) {
          part = std::min(1.0, share.memory_bytes->gib() / device.memory_gb);
        }
        holdings.push_back(
            {.holder = share.holder, .team = share.team, .share = part, .profile = {}});
      }
      const bool is_told =
          std::ranges::all_of(holdings, [](const Holding& row) { return row.share > 0; });
      for (Holding& row : holdings) {
        if (!is_told) row.share = 1.0 / static_cast<double>(holdings.size());
      }
      return holdings;
    }
    for (const domain::GpuAllocation& row : gpu.allocations) {
      double share = 1;
      if (gpu.mode == GpuMode::Mig && device.mig_slices > 0) {
        share = static_cast<double>(row.size) / device.mig_slices;
      } else if (gpu.mode != GpuMode::Passthrough && device.memory_gb > 0) {
        share = static_cast<double>(row.size) / device.memory_gb;
      }
      const auto vm = vms_.find(row.vm);
      holdings.push_back({.holder = row.vm,
                          .team = vm == vms_.end() ? std::string() : vm->second->team,
                          .share = share,
                          .profile = row.profile});
    }
    return holdings;
  }

  /// The better of the two measures of activity, where both are there.
  static UsageMetric activity_metric(const std::vector<const UsageSeries*>& all) {
    const bool has_engine = std::ranges::any_of(
        all, [](const UsageSeries* row) { return row->metric == UsageMetric::EngineActive; });
    return has_engine ? UsageMetric::EngineActive : UsageMetric::Utilization;
  }

  /// Of the device that an instance is: its compute slices.
  [[nodiscard]] static double instance_share(const DeviceGeometry& device,
                                             const std::string& profile) {
    const int index = device.find(domain::GpuUse::Mig, profile);
    if (index < 0 || device.mig_compute == 0) return 0;
    return static_cast<double>(device.profiles[static_cast<std::size_t>(index)].compute) /
           device.mig_compute;
  }

  void weigh(std::size_t host, int position) {
    const Gpu& gpu = cluster_.hosts[host].gpus[static_cast<std::size_t>(position)];
    const StateId state = snapshot_.row(host).gpus[static_cast<std::size_t>(position)];
    const DeviceGeometry& device = snapshot_.states().geometry(state);
    const std::vector<Holding> holdings = holdings_of(gpu, device);
    GpuUsage row;
    row.host = host;
    row.gpu = position;
    for (const Holding& holding : holdings) {
      row.holders.push_back(holding.holder);
      row.allocated += holding.share;
    }
    row.allocated = gpu.shares.empty() ? std::min(row.allocated, 1.0) : 1.0;
    const auto measured = measured_.find({host, position});
    if (measured != measured_.end()) measure(measured->second, device, row);
    give(row, holdings, measured == measured_.end() ? nullptr : &measured->second, device);
    usage_.total.gpus += 1;
    usage_.total.allocated_gpus += row.allocated;
    if (row.activity) {
      usage_.total.measured_gpus += row.allocated;
      usage_.total.work_gpus += row.activity->mean;
    }
    usage_.gpus.push_back(std::move(row));
  }

  /// The device as a whole: its own series, else the sum of its instances'.
  static void measure(const std::vector<const UsageSeries*>& all, const DeviceGeometry& device,
                      GpuUsage& row) {
    const UsageMetric metric = activity_metric(all);
    Activity sum;
    bool is_first = true;
    std::int64_t used = 0;
    bool has_memory = false;
    const bool has_instances =
        std::ranges::any_of(all, [](const UsageSeries* each) { return !each->instance.empty(); });
    for (const UsageSeries* const series : all) {
      if (has_instances && series->instance.empty()) continue;
      if (series->metric == UsageMetric::MemoryUsed) {
        const auto most =
            std::ranges::max_element(series->samples, {}, &domain::UsageSample::value);
        used += static_cast<std::int64_t>(most->value);
        has_memory = true;
      }
      if (series->metric != metric) continue;
      const Activity activity = activity_of(*series);
      sum.mean +=
          activity.mean * (has_instances ? instance_share(device, series->instance_profile) : 1.0);
      join_idle(sum.idle_since, sum.is_idle_throughout, is_first, activity);
      is_first = false;
    }
    if (!is_first) row.activity = sum;
    if (has_memory) row.used_bytes = Bytes(used);
  }

  /// To each holder its part: of the series that names it, else by its share.
  void give(const GpuUsage& row, const std::vector<Holding>& holdings,
            const std::vector<const UsageSeries*>* all, const DeviceGeometry& device) {
    double shares = 0;
    for (const Holding& holding : holdings) shares += holding.share;
    for (const Holding& holding : holdings) {
      HolderUsage& holder = holders_[holding.holder];
      const bool is_first = holder.name.empty();
      holder.name = holding.holder;
      if (holder.team.empty()) holder.team = holding.team;
      holder.host = row.host;
      holder.allocated_gpus += holding.share;
      if (!row.activity) continue;
      const UsageSeries* const own = all == nullptr ? nullptr : own_series(*all, holding);
      const Activity activity = own == nullptr ? *row.activity : activity_of(*own);
      const bool is_first_measured = is_first || holder.measured_gpus <= 0;
      holder.measured_gpus += holding.share;
      if (own != nullptr && !own->instance.empty()) {
        holder.work_gpus += activity.mean * instance_share(device, own->instance_profile);
      } else {
        holder.work_gpus += activity.mean * (shares > 0 ? holding.share / shares : 1.0);
        holder.is_divided = holder.is_divided || (own == nullptr && holdings.size() > 1);
      }
      join_idle(holder.idle_since, holder.is_idle_throughout, is_first_measured, activity);
    }
  }

  static const UsageSeries* own_series(const std::vector<const UsageSeries*>& all,
                                       const Holding& holding) {
    const UsageMetric metric = activity_metric(all);
    const auto own = std::ranges::find_if(all, [&](const UsageSeries* series) {
      return series->metric == metric && series->holder == holding.holder &&
             (series->instance.empty() || series->instance_profile == holding.profile);
    });
    return own == all.end() ? nullptr : *own;
  }

  void add_reservation(HolderUsage& holder) const {
    const auto vm = vms_.find(holder.name);
    if (vm == vms_.end()) return;
    holder.millicores = vm->second->request.millicores;
    holder.memory_bytes = vm->second->request.memory_bytes;
  }

  const Snapshot& snapshot_;
  const domain::Cluster& cluster_;
  std::span<const UsageSeries> series_;
  std::map<std::string, const domain::VirtualMachine*> vms_;
  std::map<std::string, Place> by_uuid_;
  std::map<std::pair<std::string, std::string>, Place> by_name_;  ///< host, PCI address or number
  std::map<Place, std::vector<const UsageSeries*>> measured_;
  std::map<std::string, HolderUsage> holders_;
  std::map<std::string, UsageTotal> teams_;
  Usage usage_;
};

}  // namespace

Usage usage_of(const Snapshot& snapshot, const domain::Cluster& cluster,
               std::span<const UsageSeries> series) {
  return Weigher(snapshot, cluster, series).run();
}

}  // namespace gpushape::place
