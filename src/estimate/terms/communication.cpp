// Memory for the traffic between GPUs, in two parts: communicators, made before the engine reads
// its first memory figure, and the workspaces of the collectives, which appear while it profiles
// itself.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

bool experts_span_engines(const Plan& plan) {
  return plan.parallelism.data > 1 && plan.parallelism.expert > 1;
}

bool several_gpus_work_together(const Situation& situation) {
  return situation.plan->parallelism.tensor * situation.plan->parallelism.pipeline > 1;
}

bool several_ranks_work_together(const Situation& situation) {
  return several_gpus_work_together(situation) || experts_span_engines(*situation.plan);
}

bool tensors_are_split(const Situation& situation) {
  return situation.plan->parallelism.tensor > 1;
}

bool collects(const Situation& situation) {
  return tensors_are_split(situation) || experts_span_engines(*situation.plan);
}

Spread communicators_bytes(const Situation& situation) {
  return situation.plan->facts.value("communicators");
}

void describe_communicators(const Situation& situation, domain::Term& term) {
  term.formula = "communicators";
  term.inputs = {{"communicators", situation.plan->facts.expected("communicators")},
                 {"tensorParallel", situation.plan->parallelism.tensor},
                 {"pipelineParallel", situation.plan->parallelism.pipeline}};
  term.source = situation.plan->facts.source("communicators");
}

Spread collectives_bytes(const Situation& situation) {
  return situation.plan->facts.value("collectives");
}

void describe_collectives(const Situation& situation, domain::Term& term) {
  term.formula = "collectives";
  term.inputs = {{"collectives", situation.plan->facts.expected("collectives")},
                 {"tensorParallel", situation.plan->parallelism.tensor}};
  term.source = situation.plan->facts.source("collectives");
}

}  // namespace gpushape::estimate::terms
