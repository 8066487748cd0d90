#include "place/paper_capacity.hpp"

#include <algorithm>
#include <optional>

#include "place/fragmentation.hpp"
#include "place/host_filters.hpp"

namespace gpushape::place {

using domain::Refusal;

namespace {

/// Why no placement of the request uses the GPU.
Refusal paper_refusal(const Snapshot& snapshot, std::size_t host, std::size_t gpu,
                      const Request& request) {
  const StateId state = snapshot.row(host).gpus[gpu];
  const std::optional<Refusal> own = snapshot.states().fit(state, request.shape).refusal;
  if (own) return *own;
  if (request.gpus > 1 && !snapshot.states().is_empty(state)) return Refusal::Count;
  return refusal_of(snapshot, host, request).value_or(Refusal::LinkDomain);
}

enum class Blocking { Nobody, OnGpu, OnHost };

Blocking blocking_of(Refusal refusal, bool is_empty) {
  switch (refusal) {
    case Refusal::Mode:
    case Refusal::ProfileLock:
    case Refusal::Capacity:
    case Refusal::Alignment:
      return is_empty ? Blocking::Nobody : Blocking::OnGpu;
    case Refusal::Count:
    case Refusal::LinkDomain:
      return is_empty ? Blocking::OnHost : Blocking::OnGpu;
    case Refusal::Cpu:
    case Refusal::Memory:
      return Blocking::OnHost;
    default:
      return Blocking::Nobody;
  }
}

std::vector<std::string> blockers_of(const Snapshot& snapshot, std::size_t host, int gpu,
                                     Blocking blocking) {
  std::vector<std::string> blockers;
  if (blocking == Blocking::Nobody) return blockers;
  for (const auto& [name, vm] : snapshot.vms()) {
    if (vm.host != host) continue;
    if (blocking == Blocking::OnHost || (vm.option.gpus & gpu_bit(gpu)) != 0) {
      blockers.push_back(name);
    }
  }
  return blockers;
}

GpuSet usable_gpus(const Snapshot& snapshot, const HostRow& row, const Distribution& distribution) {
  GpuSet used = 0;
  for (const ShapeFragmentation& shape :
       fragmentation_of(snapshot.states(), view_of(row), distribution).shapes) {
    used |= shape.used;
  }
  return used;
}

}  // namespace

std::vector<PaperCapacity> capacity_on_paper(const Snapshot& snapshot,
                                             const Distribution& distribution) {
  std::vector<PaperCapacity> all;
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    const HostRow& row = snapshot.row(host);
    if (!row.is_up) continue;
    const GpuSet usable = usable_gpus(snapshot, row, distribution);
    for (std::size_t i = 0; i < row.gpus.size(); ++i) {
      const double idle = snapshot.states().idle(row.gpus[i]);
      const auto gpu = static_cast<int>(i);
      if (idle <= 0 || (usable & gpu_bit(gpu)) != 0) continue;
      PaperCapacity paper{
          .host = host, .gpu = gpu, .idle = idle, .refusal = Refusal::GpuFailed, .blockers = {}};
      for (const WeighedRequest& weighed : distribution) {
        paper.refusal = std::max(paper.refusal, paper_refusal(snapshot, host, i, weighed.request));
      }
      paper.blockers = blockers_of(
          snapshot, host, gpu, blocking_of(paper.refusal, snapshot.states().is_empty(row.gpus[i])));
      all.push_back(std::move(paper));
    }
  }
  return all;
}

}  // namespace gpushape::place
