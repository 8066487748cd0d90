// What the process allocates past the framework's allocator while it profiles itself, on its own:
// matrix library handles, loaded kernels, attention metadata.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

bool always(const Situation& /*situation*/) { return true; }

Spread non_torch_bytes(const Situation& situation) {
  return situation.plan->facts.value("nonTorch");
}

void describe_non_torch(const Situation& situation, domain::Term& term) {
  term.formula = "nonTorch";
  term.inputs = {{"nonTorch", situation.plan->facts.expected("nonTorch")}};
  term.source = situation.plan->facts.source("nonTorch");
}

}  // namespace gpushape::estimate::terms
