// What the process allocates past the framework's allocator while it profiles itself, on its own:
// matrix library handles, loaded kernels, attention metadata. Kernels of recurrent layers spill
// registers, and the driver reserves their local memory for every thread that the GPU can hold.
// Where all that a start consumes is counted, what the compiler keeps counts, too.
#include "estimate/terms.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {

bool always(const Situation& /*situation*/) { return true; }

Spread non_torch_bytes(const Situation& situation) {
  const Facts& facts = situation.plan->facts;
  const Spread kept = facts.value("compilerKept");
  const double tables = kept == Spread{} ? 0 : token_tables(largest_step(situation));
  return facts.value("nonTorch") + facts.value("recurrentKernels") + kept * tables;
}

void describe_non_torch(const Situation& situation, domain::Term& term) {
  const Facts& facts = situation.plan->facts;
  term.formula = "nonTorch";
  term.inputs = {{"nonTorch", facts.expected("nonTorch")}};
  if (facts.value("recurrentKernels").expected > 0) {
    term.formula += " + recurrentKernels";
    term.inputs.push_back({"recurrentKernels", facts.expected("recurrentKernels")});
  }
  if (facts.value("compilerKept").expected > 0) {
    term.formula += " + compilerKept x tokenTables";
    term.inputs.push_back({"compilerKept", facts.expected("compilerKept")});
    term.inputs.push_back({"tokenTables", whole(token_tables(largest_step(situation)))});
  }
  term.source = situation.plan->facts.source("nonTorch");
}

}  // namespace gpushape::estimate::terms
