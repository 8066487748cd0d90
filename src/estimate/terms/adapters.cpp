// Slots for LoRA adapters, made when the model is loaded: as many as are resident at the same time,
// each as wide as the highest rank, beside every layer that the engine can adapt.
//
//   adapters = slots x rank x (inputs + outputs) x dtypeBytes, over all linear layers of the rank
//              + slots x (rank x tables x (vocabulary + hidden) + rows for added tokens) x
//              dtypeBytes
//
// with a table for the embedding and one for the head, and a third where the head is the
// embedding's module, which is wrapped twice.
//
// Up to 0.7 the slots are made after the engine has read what the weights take, and before it reads
// what a step takes, so that no reading holds them: they stand beside its share.
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

AdapterBytes bytes_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  return adapter_bytes(*plan.model, plan.weights, situation.stage, plan.adapters);
}

}  // namespace

bool has_adapters(const Situation& situation) { return situation.plan->adapters.count > 0; }

Spread adapters_bytes(const Situation& situation) {
  const auto bytes = static_cast<double>(bytes_of(situation).allocated.count());
  return situation.plan->facts.value("adapterRatio") * bytes;
}

void describe_adapters(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const AdapterBytes bytes = bytes_of(situation);
  const std::int64_t of_slot = bytes.values / plan.adapters.count;
  const std::int64_t dtype = plan.weights.dtype_bytes;
  term.formula = "slots x valuesOfSlot x dtypeBytes + allocatorBytes";
  term.inputs = {
      {"slots", plan.adapters.count},
      {"valuesOfSlot", of_slot},
      {"dtypeBytes", dtype},
      {"allocatorBytes", bytes.allocated.count() - plan.adapters.count * of_slot * dtype},
      {"rank", plan.adapters.rank},
      {"layers", situation.stage.layers},
      {"tensorParallel", plan.parallelism.tensor},
  };
  if (const double ratio = plan.facts.expected("adapterRatio"); ratio != 1) {
    term.formula = "(" + term.formula + ") x adapterRatio";
    term.inputs.push_back({"adapterRatio", ratio});
  }
  if (plan.adapters.has_vocabulary) {
    term.inputs.push_back({"vocabulary", plan.model->vocabulary});
    term.inputs.push_back(
        {"tablesOfSlot", tables_of_slot(*plan.model, situation.stage, plan.adapters)});
    term.inputs.push_back({"extraTokens", plan.adapters.extra_tokens});
  }
  term.source = plan.facts.source("adapterRatio");
}

}  // namespace gpushape::estimate::terms
