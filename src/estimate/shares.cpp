#include "estimate/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpushape::estimate {

using domain::Range;

Range takeable_of(const domain::VisibleMemory& gpu) {
  return gpu.takeable_bytes ? domain::exactly(*gpu.takeable_bytes) : gpu.bytes;
}

Range sum_of(const StageFigures& stage, std::span<const EngineTerm> terms,
             std::initializer_list<Budget> budgets) {
  IndependentSum sum;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_asked = std::ranges::find(budgets, terms[i].budget) != budgets.end();
    if (is_asked) sum.add(stage.terms[i]);
  }
  return sum.range();
}

std::string taken_off(const StageFigures& stage, std::span<const EngineTerm> terms,
                      std::initializer_list<Budget> budgets) {
  std::string names;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_asked = std::ranges::find(budgets, terms[i].budget) != budgets.end();
    if (is_asked && stage.terms[i].high > Bytes(0)) names.append(" - ").append(terms[i].row.name);
  }
  return names;
}

std::string_view memory_word(const domain::VisibleMemory& gpu) {
  if (gpu.free_bytes) return "free";
  return gpu.takeable_bytes ? "takeable" : "visible";
}

Range left_of(const Range& whole, const Range& taken) {
  const Range minus{.low = Bytes(0) - taken.high,
                    .expected = Bytes(0) - taken.expected,
                    .high = Bytes(0) - taken.low};
  const Range left = independent_sum(std::array{whole, minus});
  const auto not_negative = [](Bytes bytes) { return std::max(bytes, Bytes(0)); };
  return {.low = not_negative(left.low),
          .expected = not_negative(left.expected),
          .high = not_negative(left.high)};
}

Range share_of(const Range& whole, double share) {
  const auto of = [&](Bytes bytes) {
    return Bytes(static_cast<std::int64_t>(static_cast<double>(bytes.count()) * share));
  };
  return {.low = of(whole.low), .expected = of(whole.expected), .high = of(whole.high)};
}

domain::Capacity begin_capacity(const Plan& plan, const domain::VisibleMemory& gpu) {
  domain::Capacity capacity;
  capacity.visible_bytes = gpu.bytes;
  capacity.utilization = plan.utilization;
  return capacity;
}

bool holds_demand(const Held& held, const Situation& situation, double Spread::*bound) {
  if (!situation.plan->context_tokens) return held.tokens > 0;
  return held.requests >= wanted_requests(situation).*bound;
}

void take_tighter(const domain::BesideShare& beside, domain::Capacity& capacity) {
  const auto room = [](const domain::BesideShare& one) {
    return one.left_bytes.expected - one.needed_bytes.expected;
  };
  if (!capacity.beside_share || room(beside) < room(*capacity.beside_share))
    capacity.beside_share = beside;
}

void conclude(const Fits& fits, const Plan& plan, domain::Capacity& capacity,
              std::vector<std::string>* notes) {
  capacity.fits = fits.at_high && fits.at_expected;
  if (fits.at_expected)
    capacity.fits_at = fits.at_high ? domain::FitsAt::High : domain::FitsAt::Expected;
  if (notes == nullptr) return;
  if (capacity.kv_pool_bytes.expected == Bytes(0)) {
    notes->push_back(fmt::format(
        "nothing is left for the KV cache with a share of {}: the engine would refuse to start",
        plan.utilization));
  } else if (capacity.kv_pool_tokens > 0 && capacity.max_concurrency_at_context < 1) {
    notes->push_back(fmt::format("the pool holds {} tokens, less than one request of {}",
                                 capacity.kv_pool_tokens, plan.longest_request));
  }
}

}  // namespace gpushape::estimate
