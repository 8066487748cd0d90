// The longest context and the most sequences: more of either never takes less, so the last that
// fits is found by halving.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "base/grouped.hpp"
#include "estimate/engines.hpp"
#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate::solvers {

using domain::Estimate;
using domain::Fact;
using domain::Origin;
using domain::SolveFor;
using domain::Workload;

namespace {

constexpr std::int64_t kMostContext = 1LL << 30U;  // where a model does not say; ours
constexpr std::int64_t kMostSequences = 1'000'000;

/// A trace that sized the load stands for its own number of sequences only.
void drop_replay(Workload& workload) {
  if (!workload.in_flight || !workload.in_flight->is_sized_by_replay) return;
  domain::InFlight in_flight = *workload.in_flight;
  in_flight.is_sized_by_replay = false;
  workload.in_flight = std::make_shared<const domain::InFlight>(std::move(in_flight));
}

Fact<std::int64_t> solved(std::int64_t value, SolveFor variable) {
  return {value, Origin::Computed, fmt::format("--solve {}", name_of(variable))};
}

/// What one token more costs: a block of every sequence.
std::string block_text(const Estimate& estimate, std::int64_t sequences) {
  for (const domain::Term& term : estimate.terms) {
    if (term.name != "kvCache") continue;
    for (const domain::Input& input : term.inputs) {
      const auto* const tokens = std::get_if<std::int64_t>(&input.value);
      if (input.name == "blockTokens" && tokens != nullptr && *tokens > 1)
        return fmt::format(" ({} blocks of {} more)", grouped(sequences), grouped(*tokens));
    }
  }
  return {};
}

Estimate with_solution(SolveFor variable, Found found, const Binding& at_most,
                       const std::string& next) {
  Binding binding = at_most;
  if (found.beyond) {
    binding = binding_of(*found.beyond);
    binding.says = fmt::format("{}, {}", next, binding.says);
  } else if (!found.value) {
    binding = binding_of(found.at_value);
  }
  Estimate estimate = std::move(found.at_value);
  domain::Solution solution{
      .variable = variable, .value = {}, .binding_term = binding.term, .says = binding.says};
  if (found.value) solution.value = *found.value;
  estimate.solution = std::move(solution);
  return estimate;
}

}  // namespace

Result<Estimate> solve_context(const SolveRequest& request) {
  Workload workload = request.workload;
  drop_replay(workload);
  if (!workload.concurrency)
    workload.concurrency = domain::defaulted<std::int64_t>(1, "one sequence: nobody says how many");
  const std::int64_t longest = request.model->max_context_tokens;
  const std::int64_t most = longest > 0 ? longest : kMostContext;
  const Result<Found> found = largest_fitting(1, most, [&](std::int64_t tokens) {
    workload.context_tokens = solved(tokens, SolveFor::Context);
    return estimated(request, workload);
  });
  if (!found) return std::unexpected(found.error());
  const Binding at_most{"modelContext",
                        fmt::format("the model takes no more than {} tokens", grouped(most))};
  const std::string next =
      found->value ? fmt::format("with {} tokens{}", grouped(*found->value + 1),
                                 block_text(found->at_value, workload.concurrency->value))
                   : std::string();
  return with_solution(SolveFor::Context, *found, at_most, next);
}

Result<Estimate> solve_concurrency(const SolveRequest& request) {
  Workload workload = request.workload;
  drop_replay(workload);
  if (!workload.context_tokens) {
    if (request.model->max_context_tokens < 1) {
      return failure("--solve concurrency needs to know how long a sequence is",
                     "state --context, or --input-tokens and --output-tokens");
    }
    workload.context_tokens =
        domain::defaulted(request.model->max_context_tokens, "the longest that the model takes");
  }
  workload.concurrency = solved(1, SolveFor::Concurrency);
  const Result<Estimate> one = estimated(request, workload);
  if (!one) return one;
  const Fact<std::int64_t>& limit = one->settings.max_num_seqs;
  const std::int64_t most =
      limit.value > 0 ? std::min(limit.value, kMostSequences) : kMostSequences;
  const Result<Found> found = largest_fitting(1, most, [&](std::int64_t sequences) {
    workload.concurrency = solved(sequences, SolveFor::Concurrency);
    return estimated(request, workload);
  });
  if (!found) return std::unexpected(found.error());
  const Binding at_most{"maxNumSeqs",
                        fmt::format("the engine runs no more than {} sequences: --max-num-seqs, {}",
                                    grouped(most), limit.from.empty() ? "default" : limit.from)};
  const std::string next =
      found->value ? fmt::format("with {} sequences", grouped(*found->value + 1)) : std::string();
  return with_solution(SolveFor::Concurrency, *found, at_most, next);
}

}  // namespace gpushape::estimate::solvers
