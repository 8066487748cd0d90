#include "place/fragmentation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace gpushape::place {

namespace {

/// Ours: partitions of real boards need a few dozen steps.
constexpr int kMostCountSteps = 20'000;

int search_disjoint(std::span<const GpuSet> sets, GpuSet taken, int& steps) {
  int best = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if ((sets[i] & taken) != 0) continue;
    if (++steps > kMostCountSteps) return std::max(best, 1);
    best = std::max(best, 1 + search_disjoint(sets.subspan(i + 1), taken | sets[i], steps));
    // A set that meets no other one costs nothing: it is in some best answer.
    if (std::ranges::none_of(sets.subspan(i + 1),
                             [&](GpuSet other) { return (other & sets[i]) != 0; })) {
      return best;
    }
  }
  return best;
}

std::int64_t how_often(std::int64_t free, std::int64_t wanted) {
  return free <= 0 ? 0 : free / wanted;
}

/// What CPU and memory allow at most; `most` where nothing is wanted of them.
std::int64_t limited_by_host(const HostView& host, const Request& request, std::int64_t most) {
  if (request.millicores > 0) {
    most = std::min(most, how_often(host.free_millicores, request.millicores));
  }
  if (host.free_mhz && request.reserved_mhz > 0) {
    most = std::min(most, how_often(*host.free_mhz, request.reserved_mhz));
  }
  if (request.memory > 0) most = std::min(most, how_often(host.free_memory, request.memory));
  return most;
}

/// What the GPUs of a host offer a shape, before CPU and memory.
struct GpuOffer {
  std::int64_t slots = 0;
  GpuSet used = 0;   ///< GPUs that at least one legal placement uses
  double share = 0;  ///< GPU capacity of one copy
};

GpuOffer offer_of_one(GpuStates& states, const HostView& host, const Request& request) {
  GpuOffer offer;
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    const GpuFit& fit = states.fit(host.gpus[i], request.shape);
    if (!fit.serves()) continue;
    offer.slots += fit.slots;
    offer.used |= gpu_bit(static_cast<int>(i));
    offer.share = std::max(offer.share, fit.share);
  }
  return offer;
}

GpuOffer offer_of_several(GpuStates& states, const HostView& host, const Request& request) {
  GpuOffer offer{.slots = 0, .used = 0, .share = static_cast<double>(request.gpus)};
  GpuSet serving = 0;
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    if (!states.is_empty(host.gpus[i])) continue;
    if (states.fit(host.gpus[i], request.shape).serves()) serving |= gpu_bit(static_cast<int>(i));
  }
  if (!request.needs_links) {
    offer.slots = std::popcount(serving) / request.gpus;
    if (offer.slots > 0) offer.used = serving;
    return offer;
  }
  std::array<GpuSet, kMostGpusPerHost> few{};
  std::size_t count = 0;
  std::vector<GpuSet> many;
  for (const GpuSet domain : host.domains) {
    if ((domain & ~serving) != 0 || std::popcount(domain) != request.gpus) continue;
    offer.used |= domain;
    if (count < few.size()) {
      few[count++] = domain;
      continue;
    }
    if (many.empty()) many.assign(few.begin(), few.end());
    many.push_back(domain);
  }
  offer.slots = most_disjoint(many.empty() ? std::span<const GpuSet>(few).first(count)
                                           : std::span<const GpuSet>(many));
  return offer;
}

double idle_of_set(GpuStates& states, const HostView& host, GpuSet set) {
  double idle = 0;
  for (; set != 0; set &= set - 1) {
    idle += states.idle(host.gpus[static_cast<std::size_t>(std::countr_zero(set))]);
  }
  return idle;
}

ShapeFragmentation with_idle(GpuStates& states, const HostView& host, const Request& request,
                             double idle) {
  if (!host.is_up) return {.slots = 0, .touch = idle, .fill = idle, .used = 0};
  const GpuOffer offer = request.gpus > 1 ? offer_of_several(states, host, request)
                                          : offer_of_one(states, host, request);
  const std::int64_t slots = limited_by_host(host, request, offer.slots);
  if (slots == 0) return {.slots = 0, .touch = idle, .fill = idle, .used = 0};
  return {.slots = slots,
          .touch = idle - idle_of_set(states, host, offer.used),
          .fill = idle - static_cast<double>(slots) * offer.share,
          .used = offer.used};
}

}  // namespace

HostView view_of(const HostRow& row) {
  return {.is_up = row.is_up,
          .free_millicores = row.free_millicores,
          .free_mhz = row.mhz ? std::optional(row.free_mhz) : std::nullopt,
          .free_memory = row.free_memory,
          .gpus = row.gpus,
          .domains = row.domains};
}

HostView view_after(const HostRow& row, const Request& request, std::span<const StateId> gpus) {
  HostView view = view_of(row);
  view.free_millicores -= request.millicores;
  if (view.free_mhz) *view.free_mhz -= request.reserved_mhz;
  view.free_memory -= request.memory;
  view.gpus = gpus;
  return view;
}

double idle_of(GpuStates& states, const HostView& host) {
  if (!host.is_up) return 0;
  double idle = 0;
  for (const StateId gpu : host.gpus) idle += states.idle(gpu);
  return idle;
}

ShapeFragmentation fragmentation_of(GpuStates& states, const HostView& host,
                                    const Request& request) {
  return with_idle(states, host, request, idle_of(states, host));
}

Fragmentation& Fragmentation::operator+=(const Fragmentation& other) {
  idle += other.idle;
  touch += other.touch;
  fill += other.fill;
  shapes.resize(std::max(shapes.size(), other.shapes.size()));
  for (std::size_t i = 0; i < other.shapes.size(); ++i) {
    shapes[i].slots += other.shapes[i].slots;
    shapes[i].touch += other.shapes[i].touch;
    shapes[i].fill += other.shapes[i].fill;
  }
  return *this;
}

Fragmentation fragmentation_of(GpuStates& states, const HostView& host,
                               const Distribution& distribution) {
  Fragmentation all;
  all.idle = idle_of(states, host);
  all.shapes.reserve(distribution.size());
  for (const WeighedRequest& row : distribution) {
    const ShapeFragmentation shape = with_idle(states, host, row.request, all.idle);
    all.touch += row.probability * shape.touch;
    all.fill += row.probability * shape.fill;
    all.shapes.push_back(shape);
  }
  return all;
}

Fragmentation fragmentation_of(const Snapshot& snapshot, const Distribution& distribution) {
  Fragmentation all;
  all.shapes.resize(distribution.size());
  for (std::size_t host = 0; host < snapshot.size(); ++host) {
    all += fragmentation_of(snapshot.states(), view_of(snapshot.row(host)), distribution);
  }
  return all;
}

double rounded(double value) { return std::round(value * 1e9) / 1e9; }

int most_disjoint(std::span<const GpuSet> sets) {
  int steps = 0;
  return search_disjoint(sets, 0, steps);
}

}  // namespace gpushape::place
