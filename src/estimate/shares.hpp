// Arithmetic on what a stage's terms take of a GPU, for engines that give the rest, or a share of
// it, to the KV cache. Errors of different terms are taken for independent.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "domain/range.hpp"
#include "estimate/engines.hpp"

namespace gpushape::estimate {

/// What processes can take of a GPU: a vGPU guest counts its reservation in the total.
domain::Range takeable_of(const domain::VisibleMemory& gpu);
/// The terms of a stage that have one of `budgets`.
domain::Range sum_of(const StageFigures& stage, std::span<const EngineTerm> terms,
                     std::initializer_list<Budget> budgets);
/// " - weights - activation": the names of those that are not for nothing, each taken off.
std::string taken_off(const StageFigures& stage, std::span<const EngineTerm> terms,
                      std::initializer_list<Budget> budgets);
/// "visible", "takeable" where that is less, or "free" where a start printed that.
std::string_view memory_word(const domain::VisibleMemory& gpu);
/// What is left of `whole`; never below zero.
domain::Range left_of(const domain::Range& whole, const domain::Range& taken);
/// `share` of it, rounded down.
domain::Range share_of(const domain::Range& whole, double share);

/// Requests and tokens that a pool holds, as its engine counts them.
struct Held {
  std::int64_t tokens = 0;
  double requests = 0;
};

/// A capacity before anything is counted.
domain::Capacity begin_capacity(const Plan& plan, const domain::VisibleMemory& gpu);

/// Whether the requests that are declared run at once: those of the pool at its expected size, and
/// at its least.
struct Fits {
  bool at_expected = true;
  bool at_high = true;

  void also(bool expected, bool high) {
    at_expected = at_expected && expected;
    at_high = at_high && high;
  }
};
/// At least the requests asked for, by a bound of what they hold together; one token where no
/// context is.
bool holds_demand(const Held& held, const Situation& situation, double Spread::*bound);

/// Keeps what is tighter: more needed against what is left.
void take_tighter(const domain::BesideShare& beside, domain::Capacity& capacity);

/// Verdict of a capacity whose figures are known, and words where `notes` is not nullptr.
void conclude(const Fits& fits, const Plan& plan, domain::Capacity& capacity,
              std::vector<std::string>* notes);

}  // namespace gpushape::estimate
