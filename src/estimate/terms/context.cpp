// The CUDA context: there before the engine reads its first memory figure, so it belongs to no term
// of the engine's own and must fit beside them.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

Spread cuda_context_bytes(const Situation& situation) {
  return situation.plan->facts.value("cudaContext");
}

void describe_cuda_context(const Situation& situation, domain::Term& term) {
  term.formula = "cudaContext";
  term.inputs = {{"cudaContext", situation.plan->facts.expected("cudaContext")}};
  term.source = situation.plan->facts.source("cudaContext");
}

}  // namespace gpushape::estimate::terms
