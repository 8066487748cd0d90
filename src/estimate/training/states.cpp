// Weights, gradients and the optimizer's states: what stays for the whole run.
//
//   weights    = base values x their bytes / (ranks from ZeRO stage 3 on)
//   gradients  = trained values x gradientBytes / (ranks from stage 2 on)
//   optimizer  = trained values x (masterBytes + stateBytes) / (ranks from stage 1 on)
//
// Source: Rajbhandari et al., ZeRO (https://arxiv.org/abs/1910.02054, section 3.1: 2 + 2 + 12 bytes
// with Adam); Dettmers et al., 8-bit Optimizers (https://arxiv.org/abs/2110.02861) and QLoRA
// (https://arxiv.org/abs/2305.14314); Shazeer and Stern, Adafactor
// (https://arxiv.org/abs/1804.04235); Chen et al., Lion (https://arxiv.org/abs/2302.06675).
#include <algorithm>

#include "domain/tensors.hpp"
#include "estimate/training/training_terms.hpp"

namespace gpushape::estimate::training {
namespace {

using domain::Optimizer;
using domain::TrainingMethod;
using domain::TrainingPrecision;

constexpr double kFloat = 4;
constexpr double kStatesHalf = 2;
// A scale of 32 bits for every 256 values. Source: bitsandbytes optim/optimizer.py (blocksize 256).
constexpr double kBlockwise = 1 + 4.0 / 256;
constexpr const char* kZero = "https://arxiv.org/abs/1910.02054, section 3.1";

const TrainingPlan& run_of(const Situation& situation) { return situation.plan->training; }

/// Bytes of the states for one trained value, the master copy apart; Adafactor's are no multiple.
double state_bytes(const Situation& situation) {
  const TrainingPlan& run = run_of(situation);
  const double moment = run.precision == TrainingPrecision::Bf16 ? kStatesHalf : kFloat;
  const domain::Model& model = *situation.plan->model;
  switch (run.optimizer) {
    case Optimizer::AdamW:
      return 2 * moment;
    case Optimizer::AdamW8bit:
    case Optimizer::PagedAdamW8bit:
      return 2 * kBlockwise;
    case Optimizer::SgdMomentum:
    case Optimizer::Lion:
      return moment;
    case Optimizer::Lion8bit:
      return kBlockwise;
    case Optimizer::Muon: {
      if (run.has_adapters()) return moment;
      const double tables =
          static_cast<double>(domain::vocabulary_values(model)) * (model.tied_embeddings ? 1 : 2);
      return moment * (1 + std::min(1.0, tables / std::max(1.0, trained_values(situation))));
    }
    case Optimizer::Adafactor:
      return run.has_adapters()
                 ? 0
                 : kFloat * situation.trainer.edges / std::max(1.0, trained_values(situation));
    case Optimizer::Sgd:
      break;
  }
  return 0;
}

/// 32-bit copies of 16-bit weights, beside the states.
double master_bytes(const TrainingPlan& run) {
  const bool has_master = run.precision == TrainingPrecision::Mixed && !run.has_adapters();
  return has_master ? kFloat : 0;
}

/// The largest gradient that is there before its weights are updated: the vocabulary's.
double gradient_values(const Situation& situation) {
  const double values = trained_values(situation);
  if (!run_of(situation).steps_in_backward) return values;
  const domain::Model& model = *situation.plan->model;
  return std::min(values, static_cast<double>(domain::vocabulary_values(model)) /
                              static_cast<double>(situation.plan->parallelism.tensor));
}

}  // namespace

double base_values(const Situation& situation) { return situation.trainer.base; }

double trained_values(const Situation& situation) { return situation.trainer.trained; }

Spread weights_bytes(const Situation& situation) {
  const auto bytes = static_cast<double>(situation.weights.tensors.count());
  return situation.plan->facts.value("weightsRatio") * (bytes / run_of(situation).sharers(3));
}

void describe_weights(const Situation& situation, domain::Term& term) {
  const TrainingPlan& run = run_of(situation);
  const WeightsLayout& layout = situation.plan->weights;
  term.formula = "tensorBytes / sharers";
  term.inputs = {
      {"tensorBytes", situation.weights.tensors.count()},
      {"sharers", static_cast<std::int64_t>(run.sharers(3))},
      {"zeroStage", run.zero_stage},
      {"weightBits", std::int64_t{layout.scheme.weight_bits}},
      {"dtypeBytes", layout.dtype_bytes},
      {"layers", situation.stage.layers},
      {"tensorParallel", situation.plan->parallelism.tensor},
  };
  term.source = run.method == TrainingMethod::Qlora
                    ? "https://arxiv.org/abs/2305.14314, section 3: nf4 with double quantization"
                    : kZero;
}

bool trains_adapters(const Situation& situation) { return run_of(situation).has_adapters(); }

Spread adapters_bytes(const Situation& situation) {
  const TrainingPlan& run = run_of(situation);
  return certain(trained_values(situation) * static_cast<double>(run.trained_bytes()) /
                 run.sharers(3));
}

void describe_adapters(const Situation& situation, domain::Term& term) {
  const TrainingPlan& run = run_of(situation);
  term.formula = "values x valueBytes / sharers";
  term.inputs = {
      {"values", static_cast<std::int64_t>(trained_values(situation))},
      {"valueBytes", run.trained_bytes()},
      {"sharers", static_cast<std::int64_t>(run.sharers(3))},
      {"rank", situation.plan->adapters.rank},
      {"modules", std::string(name_of(situation.plan->adapters.modules))},
  };
  term.source = "https://arxiv.org/abs/2106.09685, section 4.1; Hugging Face PEFT tuners_utils.py";
}

Spread gradients_bytes(const Situation& situation) {
  const TrainingPlan& run = run_of(situation);
  return certain(gradient_values(situation) * static_cast<double>(run.trained_bytes()) /
                 run.sharers(2));
}

void describe_gradients(const Situation& situation, domain::Term& term) {
  const TrainingPlan& run = run_of(situation);
  term.formula = "values x gradientBytes / sharers";
  term.inputs = {
      {"values", static_cast<std::int64_t>(gradient_values(situation))},
      {"gradientBytes", run.trained_bytes()},
      {"sharers", static_cast<std::int64_t>(run.sharers(2))},
      {"zeroStage", run.zero_stage},
  };
  term.source = kZero;
}

Spread states_bytes(const Situation& situation) {
  const TrainingPlan& run = run_of(situation);
  const double bytes =
      trained_values(situation) * (master_bytes(run) + state_bytes(situation)) / run.sharers(1);
  return certain(bytes);
}

bool keeps_states(const Situation& situation) {
  return !run_of(situation).offloads_optimizer && states_bytes(situation).expected > 0;
}

Spread optimizer_bytes(const Situation& situation) {
  const Spread states = states_bytes(situation);
  // Pages leave the GPU when it needs the room.
  if (run_of(situation).optimizer == Optimizer::PagedAdamW8bit) return {0, 0, states.high};
  return states;
}

void describe_optimizer(const Situation& situation, domain::Term& term) {
  const TrainingPlan& run = run_of(situation);
  term.formula = "values x (masterBytes + stateBytes) / sharers";
  term.inputs = {
      {"values", static_cast<std::int64_t>(trained_values(situation))},
      {"masterBytes", master_bytes(run)},
      {"stateBytes", state_bytes(situation)},
      {"sharers", static_cast<std::int64_t>(run.sharers(1))},
      {"optimizer", std::string(name_of(run.optimizer))},
  };
  if (run.optimizer == Optimizer::PagedAdamW8bit)
    term.formula += ", which the driver pages out: from 0";
  term.source = kZero;
}

Spread step_scratch(const Situation& situation) {
  const TrainingPlan& run = run_of(situation);
  const bool is_torch = run.optimizer == Optimizer::AdamW && !run.steps_in_backward &&
                        run.precision != TrainingPrecision::Mixed && !run.offloads_optimizer;
  if (!is_torch) return {};
  const double moment = run.precision == TrainingPrecision::Bf16 ? kStatesHalf : kFloat;
  return situation.plan->facts.value("optimizerScratch") *
         (trained_values(situation) * moment / run.sharers(1));
}

}  // namespace gpushape::estimate::training
