// What the process allocates past the framework's allocator while it profiles itself, on its own:
// matrix library handles, loaded kernels, attention metadata. Kernels of recurrent layers spill
// registers, and the driver reserves their local memory for every thread that the GPU can hold.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

bool always(const Situation& /*situation*/) { return true; }

Spread non_torch_bytes(const Situation& situation) {
  const Facts& facts = situation.plan->facts;
  return facts.value("nonTorch") + facts.value("recurrentKernels");
}

void describe_non_torch(const Situation& situation, domain::Term& term) {
  const Facts& facts = situation.plan->facts;
  term.formula = "nonTorch";
  term.inputs = {{"nonTorch", facts.expected("nonTorch")}};
  if (facts.value("recurrentKernels").expected > 0) {
    term.formula += " + recurrentKernels";
    term.inputs.push_back({"recurrentKernels", facts.expected("recurrentKernels")});
  }
  term.source = situation.plan->facts.source("nonTorch");
}

}  // namespace gpushape::estimate::terms
