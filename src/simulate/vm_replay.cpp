#include "simulate/vm_replay.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "place/chooser.hpp"
#include "place/fragmentation.hpp"
#include "simulate/hindsight.hpp"
#include "simulate/replay.hpp"

namespace gpushape::simulate {

using domain::PlacementRequest;
using domain::TraceEvent;

namespace {

auto key_of(const PlacementRequest& request) {
  return std::tuple(request.use, request.profile, request.gpus, request.needs_links,
                    request.millicores, request.reserved_mhz, request.memory_bytes, request.devices,
                    request.label);
}

/// GPU capacity that one instance takes: that of the first GPU of the cluster that knows the shape.
double gpus_of_request(const place::Snapshot& snapshot, const place::Request& request) {
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    for (const place::StateId state : snapshot.row(host).gpus) {
      const place::GpuFit& fit = snapshot.states().fit(state, request.shape);
      if (fit.refusal != domain::Refusal::Model) return fit.share * request.gpus;
    }
  }
  return request.gpus;
}

/// Sums that become means over time and over the demand.
struct Sums {
  double seconds = 0;
  double idle = 0;
  double touch = 0;
  double fill = 0;
  double asked = 0;
  double accepted = 0;
  double asked_time = 0;
  double accepted_time = 0;
};

/// Keeps every first, second, fourth … moment, so that no trace is too long for a chart.
class Points {
 public:
  void add(const ReplayPoint& point) {
    if (seen_++ % stride_ != 0) return;
    points_.push_back(point);
    if (points_.size() < kMostPoints) return;
    for (std::size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize((points_.size() + 1) / 2);
    stride_ *= 2;
  }
  [[nodiscard]] std::vector<ReplayPoint> take() { return std::move(points_); }

 private:
  std::vector<ReplayPoint> points_;
  std::size_t stride_ = 1;
  std::size_t seen_ = 0;
};

std::map<std::string, double> lives_of(const domain::Trace& trace) {
  std::map<std::string, double> lives;
  const double end = trace.events.empty() ? 0 : trace.events.back().seconds;
  for (const TraceEvent& event : trace.events) {
    if (event.is_arrival) {
      lives[event.vm] = end - event.seconds;
    } else if (const auto vm = lives.find(event.vm); vm != lives.end()) {
      vm->second -= end - event.seconds;
    }
  }
  return lives;
}

}  // namespace

std::vector<std::pair<double, PlacementRequest>> distribution_of(const domain::Trace& trace) {
  std::map<decltype(key_of(PlacementRequest{})), std::pair<std::int64_t, PlacementRequest>> counts;
  std::int64_t total = 0;
  for (const TraceEvent& event : trace.events) {
    if (!event.is_arrival) continue;
    ++counts.try_emplace(key_of(event.request), 0, event.request).first->second.first;
    ++total;
  }
  std::vector<std::pair<double, PlacementRequest>> distribution;
  distribution.reserve(counts.size());
  for (const auto& [key, row] : counts) {
    distribution.emplace_back(static_cast<double>(row.first) / static_cast<double>(total),
                              row.second);
  }
  return distribution;
}

VmReplay replay_vms(place::Snapshot snapshot, const domain::Trace& trace,
                    const place::PolicyRow& policy) {
  VmReplay result;
  result.policy = policy.name;
  const place::Distribution distribution = snapshot.compile(distribution_of(trace));
  const std::map<std::string, double> lives = lives_of(trace);
  Rearranger rearranger(snapshot, distribution);
  place::Chooser chooser(std::move(snapshot), distribution, policy);
  Sums sums;
  Points points;
  double now = trace.events.empty() ? 0 : trace.events.front().seconds;
  for (const TraceEvent& event : trace.events) {
    if (event.seconds > now) {
      const place::Fragmentation state = chooser.fragmentation();
      const double span = event.seconds - now;
      sums.seconds += span;
      sums.idle += span * state.idle;
      sums.touch += span * state.touch;
      sums.fill += span * state.fill;
      points.add({.seconds = now,
                  .idle = state.idle,
                  .touch = state.touch,
                  .fill = state.fill,
                  .placed = result.placed,
                  .rejected = result.rejected});
      now = event.seconds;
    }
    if (!event.is_arrival) {
      chooser.remove(event.vm);
      continue;
    }
    const place::Request request = chooser.snapshot().compile(event.request);
    const double gpus = gpus_of_request(chooser.snapshot(), request);
    const double life = lives.at(event.vm);
    ++result.arrived;
    sums.asked += gpus;
    sums.asked_time += gpus * life;
    if (const auto choice = chooser.choose(request)) {
      chooser.place(event.vm, request, *choice);
      ++result.placed;
      sums.accepted += gpus;
      sums.accepted_time += gpus * life;
      continue;
    }
    ++result.rejected;
    ++result.rejected_by[furthest_refusal(chooser.snapshot(), request)];
    const Hindsight hindsight = rearranger.judge(chooser.snapshot(), request, gpus);
    result.avoidable += hindsight == Hindsight::Avoidable ? 1 : 0;
    result.perhaps_avoidable += hindsight == Hindsight::Open ? 1 : 0;
  }
  result.accepted_gpu_share = sums.asked > 0 ? sums.accepted / sums.asked : 0;
  result.accepted_gpu_time_share = sums.asked_time > 0 ? sums.accepted_time / sums.asked_time : 0;
  result.points = points.take();
  if (sums.seconds > 0) {
    result.mean_idle = sums.idle / sums.seconds;
    result.mean_touch = sums.touch / sums.seconds;
    result.mean_fill = sums.fill / sums.seconds;
  }
  return result;
}

}  // namespace gpushape::simulate
