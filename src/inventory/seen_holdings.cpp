#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "inventory/seen_parts.hpp"

namespace gpushape::inventory {

using domain::ClusterHost;
using domain::Gpu;
using domain::GpuMode;
using domain::GpuUse;
using domain::Profile;
using domain::Technology;
using domain::VirtualMachine;

namespace {

constexpr std::string_view kSharesHolder = "software shares";

class Placer {
 public:
  Placer(const Seen& seen, std::vector<std::vector<Target>>& targets, Imported& imported)
      : seen_(seen), targets_(targets), result_(imported) {
    for (std::size_t i = 0; i < imported.cluster.hosts.size(); ++i) {
      positions_.emplace(imported.cluster.hosts[i].name, i);
    }
  }

  void run() {
    take_uuids();
    std::vector<Job> jobs;
    for (const SeenWorkload& workload : seen_.workloads) {
      const auto host = positions_.find(workload.host);
      if (host == positions_.end()) continue;
      for (const SeenHolding& holding : workload.holdings) {
        Job job;
        job.workload = &workload;
        job.holding = &holding;
        job.host = host->second;
        for (const Target& target : targets_[host->second]) {
          const Profile* const profile = profile_of(*target.device, holding);
          if (profile != nullptr) job.size = std::max(job.size, size_of(*profile));
        }
        jobs.push_back(std::move(job));
      }
    }
    // What is told exactly comes first, then larger before smaller: as dense as it must have been.
    std::vector<Job*> order;
    order.reserve(jobs.size());
    for (Job& job : jobs) order.push_back(&job);
    std::ranges::stable_sort(order, {}, [](const Job* job) {
      return std::tuple(job->holding->gpu.empty(), !job->holding->start.has_value(),
                        job->holding->share.has_value(), -job->size);
    });
    std::set<std::string> assumed;
    for (Job* job : order) {
      job->is_placed = job->holding->share ? place_share(*job) : place_device(*job);
      if (!job->is_placed) {
        note_left_out(*job);
      } else if (job->holding->gpu.empty() && assumed.insert(job->workload->host).second) {
        note(fmt::format("{}: the files do not tell which GPU each workload holds; they are taken "
                         "in order",
                         job->workload->host),
             job->workload->span);
      }
    }
    hold_shared();
    add_vms(jobs);
  }

 private:
  /// Where the host lists its GPUs without UUIDs, those that holdings name are given out in order.
  void take_uuids() {
    for (const SeenWorkload& workload : seen_.workloads) {
      const auto host = positions_.find(workload.host);
      if (host == positions_.end()) continue;
      std::vector<Target>& targets = targets_[host->second];
      for (const SeenHolding& holding : workload.holdings) {
        if (!holding.gpu.starts_with("GPU-")) continue;
        const bool is_known = std::ranges::any_of(
            targets, [&](const Target& target) { return is_meant(target, holding.gpu); });
        const auto unnamed = std::ranges::find_if(
            targets, [](const Target& target) { return target.gpu->uuid.empty(); });
        if (!is_known && unnamed != targets.end()) unnamed->gpu->uuid = holding.gpu;
      }
    }
  }

  /// A holding, and the VM that it becomes.
  struct Job {
    const SeenWorkload* workload = nullptr;
    const SeenHolding* holding = nullptr;
    std::size_t host = 0;
    int size = 0;
    std::vector<int> gpus;
    int start = 0;
    std::string profile;
    GpuUse use = GpuUse::Passthrough;
    bool is_placed = false;
  };

  [[nodiscard]] bool is_meant(const Target& target, const std::string& wanted) const {
    return target.name == wanted || target.gpu->uuid == wanted || target.gpu->pci_address == wanted;
  }

  void note(std::string says, const SourceSpan& span) {
    result_.notes.push_back({std::move(says), span});
  }

  bool place_share(Job& job) {
    const SeenHolding& holding = *job.holding;
    const auto sum = [](const Gpu& gpu) {
      double total = 0;
      for (const domain::SoftwareShare& share : gpu.shares) total += share.fraction.value_or(0);
      return total;
    };
    constexpr double kRounding = 1e-6;
    for (Target& target : targets_[job.host]) {
      const bool is_free = target.gpu->allocations.empty() &&
                           sum(*target.gpu) + holding.share->fraction.value_or(0) <= 1 + kRounding;
      if (holding.gpu.empty() ? !is_free : !is_meant(target, holding.gpu)) continue;
      target.gpu->shares.push_back(*holding.share);
      return true;
    }
    return false;
  }

  bool place_device(Job& job) {
    const SeenHolding& holding = *job.holding;
    int position = -1;
    for (Target& target : targets_[job.host]) {
      ++position;
      if (!holding.gpu.empty() && !is_meant(target, holding.gpu)) continue;
      Gpu& gpu = *target.gpu;
      if (holding.takes_whole()) {
        if (!gpu.allocations.empty() || gpu.has_failed ||
            (holding.gpu.empty() && !gpu.shares.empty())) {
          continue;
        }
        gpu.mode = GpuMode::Passthrough;
        gpu.allocations.push_back({.vm = {},
                                   .profile = {},
                                   .start = 0,
                                   .size = static_cast<int>(target.device->nominal_gb)});
      } else {
        const Profile* const profile = profile_of(*target.device, holding);
        if (profile == nullptr) continue;
        const std::optional<int> start = room_for(target, *profile, holding);
        if (!start) continue;
        put(target, {}, *profile, *start);
        job.start = *start;
        job.profile = profile->short_name;
        job.use = profile->technology == Technology::Mig ? GpuUse::Mig : GpuUse::TimeSliced;
      }
      job.gpus = {position};
      return true;
    }
    return false;
  }

  void note_left_out(const Job& job) {
    const SeenHolding& holding = *job.holding;
    const std::string what = holding.share ? std::string("a share of a GPU")
                             : holding.profile.empty()
                                 ? std::string(holding.memory ? "a MIG instance" : "a GPU")
                                 : holding.profile;
    const std::string where =
        holding.gpu.empty() ? std::string() : fmt::format(" on {}", holding.gpu);
    note(fmt::format("left out: {} holds {}{} of {}, where there is no such GPU or no room for it",
                     job.workload->name, what, where, job.workload->host),
         job.workload->span);
  }

  /// A GPU that software divides is taken as a whole.
  void hold_shared() {
    for (std::vector<Target>& host : targets_) {
      for (Target& target : host) {
        if (target.gpu->shares.empty() || !target.gpu->allocations.empty()) continue;
        target.gpu->mode = GpuMode::Passthrough;
        target.gpu->allocations.push_back({.vm = std::string(kSharesHolder),
                                           .profile = {},
                                           .start = 0,
                                           .size = static_cast<int>(target.device->nominal_gb)});
      }
    }
  }

  /// Whole devices of one workload are one VM; every other holding is a VM of its own, and the
  /// first one carries the workload's CPU and memory.
  void add_vms(std::vector<Job>& jobs) {
    for (std::size_t i = 0; i < jobs.size();) {
      std::size_t end = i;
      while (end < jobs.size() && jobs[end].workload == jobs[i].workload) ++end;
      add_vms_of(std::span(jobs).subspan(i, end - i));
      i = end;
    }
  }

  void add_vms_of(std::span<Job> jobs) {
    const SeenWorkload& workload = *jobs.front().workload;
    std::vector<VirtualMachine> vms;
    for (Job& job : jobs) {
      if (!job.is_placed || job.holding->share) continue;
      const bool is_more = !vms.empty() && is_whole(job) && vms.back().request.use == job.use &&
                           vms.back().request.profile == job.profile;
      if (is_more) {
        vms.back().gpus.push_back(job.gpus.front());
        ++vms.back().request.gpus;
      } else {
        vms.push_back(vm_of(workload, job, vms.size()));
      }
      ClusterHost& host = result_.cluster.hosts[job.host];
      Gpu& gpu = host.gpus[static_cast<std::size_t>(job.gpus.front())];
      const auto allocation = std::ranges::find_if(gpu.allocations, [&](const auto& row) {
        return row.vm.empty() && row.profile == job.profile && row.start == job.start;
      });
      if (allocation != gpu.allocations.end()) allocation->vm = vms.back().name;
    }
    std::ranges::for_each(vms, [](VirtualMachine& vm) { std::ranges::sort(vm.gpus); });
    std::ranges::move(vms, std::back_inserter(result_.cluster.vms));
  }

  [[nodiscard]] bool is_whole(const Job& job) const {
    if (job.profile.empty()) return true;
    const Target& target = targets_[job.host][static_cast<std::size_t>(job.gpus.front())];
    const Profile* const profile = profile_of(*target.device, job.use, job.profile);
    return profile != nullptr && profile->is_full_size;
  }

  VirtualMachine vm_of(const SeenWorkload& workload, const Job& job, std::size_t number) {
    VirtualMachine vm;
    vm.name = number == 0 ? workload.name : fmt::format("{}#{}", workload.name, number + 1);
    for (int more = 2; !names_.insert(vm.name).second; ++more) {
      vm.name = fmt::format("{} ({})", workload.name, more);
    }
    vm.host = workload.host;
    vm.gpus = job.gpus;
    vm.start = job.start;
    vm.team = workload.team;
    vm.can_move = workload.can_move;
    vm.request.use = job.use;
    vm.request.profile = job.profile;
    const Target& target = targets_[job.host][static_cast<std::size_t>(job.gpus.front())];
    if (job.holding->is_device_bound) vm.request.devices = {target.device->id};
    vm.request.is_static = job.holding->is_static;
    if (job.holding->is_static) vm.request.pci_addresses = addresses_of(job);
    if (!workload.label.empty()) vm.request.label = workload.label;
    if (number == 0) {
      vm.request.millicores = workload.millicores;
      vm.request.reserved_mhz = workload.reserved_mhz;
      vm.request.memory_bytes = workload.memory_bytes;
    }
    return vm;
  }

  /// Of the job's GPUs; none where one of them is not known.
  [[nodiscard]] std::vector<std::string> addresses_of(const Job& job) const {
    std::vector<std::string> addresses;
    for (const int gpu : job.gpus) {
      addresses.push_back(targets_[job.host][static_cast<std::size_t>(gpu)].gpu->pci_address);
      if (addresses.back().empty()) return {};
    }
    return addresses;
  }

  const Seen& seen_;
  std::vector<std::vector<Target>>& targets_;
  Imported& result_;
  std::map<std::string, std::size_t> positions_;
  std::set<std::string> names_;
};

}  // namespace

void place_holdings(const Seen& seen, std::vector<std::vector<Target>>& targets,
                    Imported& imported) {
  Placer(seen, targets, imported).run();
}

}  // namespace gpushape::inventory
