// The CUDA context: there before the engine reads its first memory figure, so that it belongs to no
// term of the engine's own and must fit beside them, but where the engine counts all that is taken.
#include "estimate/terms.hpp"

namespace gpushape::estimate {

bool counts_context(const Plan& plan) { return plan.facts.expected("contextProfiled") != 0; }

namespace terms {

Spread cuda_context_bytes(const Situation& situation) {
  return situation.plan->facts.value("cudaContext");
}

void describe_cuda_context(const Situation& situation, domain::Term& term) {
  term.formula = "cudaContext";
  term.inputs = {{"cudaContext", situation.plan->facts.expected("cudaContext")}};
  if (counts_context(*situation.plan)) term.inputs.push_back({"takenOffThePool", "yes"});
  term.source = situation.plan->facts.source("cudaContext");
}

}  // namespace terms
}  // namespace gpushape::estimate
