#include "place/host_delta.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "place/fragmentation.hpp"

namespace gpushape::place {

namespace {

std::int64_t times_in(std::int64_t free, std::int64_t wanted) {
  return free <= 0 ? 0 : free / wanted;
}

std::int64_t allowed_by(std::int64_t millicores, std::int64_t mhz, std::int64_t memory,
                        bool counts_mhz, const Request& shape) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (shape.millicores > 0) most = std::min(most, times_in(millicores, shape.millicores));
  if (counts_mhz && shape.reserved_mhz > 0) {
    most = std::min(most, times_in(mhz, shape.reserved_mhz));
  }
  if (shape.memory > 0) most = std::min(most, times_in(memory, shape.memory));
  return most;
}

}  // namespace

HostDelta::HostDelta(GpuStates& states, const HostRow& row, const Request& request,
                     const Distribution& distribution)
    : states_(states), row_(row), request_(request) {
  for (const StateId state : row.gpus) {
    idle_ += states.idle(state);
    is_uniform_ = is_uniform_ && states.state(state).device == states.state(row.gpus[0]).device;
  }
  if (!is_uniform_) return;
  sums_.reserve(distribution.size());
  for (const WeighedRequest& weighed : distribution) {
    const Request& shape = weighed.request;
    ShapeSum sum{.probability = weighed.probability,
                 .shape = shape.shape,
                 .gpus = shape.gpus,
                 .needs_links = shape.needs_links,
                 .share = static_cast<double>(shape.gpus)};
    for (std::size_t i = 0; i < row.gpus.size(); ++i) {
      const StateId state = row.gpus[i];
      const int slots = states.slots(state, shape.shape);
      if (slots == 0) continue;
      if (shape.gpus > 1) {
        if (states.is_empty(state)) sum.serving |= gpu_bit(static_cast<int>(i));
        continue;
      }
      sum.slots += slots;
      sum.used_idle += states.idle(state);
    }
    if (shape.gpus == 1 && !row.gpus.empty()) {
      sum.share = states.fit(row.gpus.front(), shape.shape).share;
    }
    sum.most_before =
        allowed_by(row.free_millicores, row.free_mhz, row.free_memory, row.mhz.has_value(), shape);
    sum.most_after =
        allowed_by(row.free_millicores - request.millicores, row.free_mhz - request.reserved_mhz,
                   row.free_memory - request.memory, row.mhz.has_value(), shape);
    sums_.push_back(sum);
  }
}

void HostDelta::count_several(const ShapeSum& sum, GpuSet serving, std::int64_t& slots,
                              GpuSet& used) const {
  slots = 0;
  used = 0;
  if (!sum.needs_links) {
    slots = std::popcount(serving) / sum.gpus;
    if (slots > 0) used = serving;
    return;
  }
  std::array<GpuSet, kMostGpusPerHost> whole{};
  std::size_t count = 0;
  bool are_disjoint = true;
  for (const GpuSet domain : row_.domains) {
    if ((domain & ~serving) != 0 || std::popcount(domain) != sum.gpus) continue;
    are_disjoint = are_disjoint && (used & domain) == 0;
    used |= domain;
    if (count < whole.size()) whole[count++] = domain;
  }
  slots = are_disjoint ? static_cast<std::int64_t>(count)
                       : most_disjoint(std::span(whole).first(count));
}

HostDelta::Losses HostDelta::losses(const Option* option) const {
  double idle = idle_;
  std::array<std::pair<StateId, StateId>, kMostGpusPerHost> moves{};
  std::size_t count = 0;
  if (option != nullptr) {
    for (GpuSet set = option->gpus; set != 0; set &= set - 1) {
      const StateId from = row_.gpus[static_cast<std::size_t>(std::countr_zero(set))];
      const StateId to = states_.after(from, request_.shape, option->start);
      moves[count++] = {from, to};
      idle += states_.idle(to) - states_.idle(from);
    }
  }
  Losses result;
  for (const ShapeSum& sum : sums_) {
    std::int64_t slots = sum.slots;
    double used_idle = sum.used_idle;
    if (sum.gpus > 1) {
      GpuSet used = 0;
      count_several(sum, option == nullptr ? sum.serving : sum.serving & ~option->gpus, slots,
                    used);
      used_idle = std::popcount(used);  // of empty GPUs
    } else {
      for (const auto& [from, to] : std::span(moves).first(count)) {
        const int before = states_.slots(from, sum.shape);
        const int after = states_.slots(to, sum.shape);
        slots += after - before;
        if (before > 0) used_idle -= states_.idle(from);
        if (after > 0) used_idle += states_.idle(to);
      }
    }
    slots = std::min(slots, option == nullptr ? sum.most_before : sum.most_after);
    result.touch += sum.probability * (slots > 0 ? idle - used_idle : idle);
    result.fill += sum.probability * (idle - static_cast<double>(slots) * sum.share);
  }
  return result;
}

HostDelta::Losses HostDelta::before() const { return losses(nullptr); }
HostDelta::Losses HostDelta::after(const Option& option) const { return losses(&option); }

}  // namespace gpushape::place
