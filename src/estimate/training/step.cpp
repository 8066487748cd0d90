// The peak of one step beside what stays: activations kept for the backward pass and the loss, or
// the layer that is computed again, or the optimizer's scratch.
//
//   stored     = tokens x sum over layers of what each keeps x passes in flight
//   loss       = tokens x vocabulary x lossBytes (all at once), or a chunk's
//   activation = max(stored + loss, stored + layer, scratch) + dequantized
//
// Without accumulation the gradients appear while the activations go, so that
//
//   activation = max(stored + loss - gradients, layer, scratch)
//
// Source: Korthikanti et al. (https://arxiv.org/abs/2205.05198, sections 4 and 5); stages in
// flight: Narayanan et al. (https://arxiv.org/abs/2104.04473, section 2.2); chunks: Liger Kernel
// (https://arxiv.org/abs/2410.10989, section 3.2).
#include <algorithm>
#include <cmath>
#include <string>

#include "estimate/training/activations.hpp"
#include "estimate/training/training_terms.hpp"

namespace gpushape::estimate::training {
namespace {

using domain::LossKernel;
using domain::TrainingMethod;
using domain::TrainingPrecision;

constexpr double kChunkTokens = 1024;  // of a loss that is computed in chunks
constexpr double kStepHalf = 2;

struct Peak {
  Spread stored;
  Spread loss;
  Spread layer;
  Spread scratch;
  double dequantized = 0;
  double hidden_by_gradients = 0;
  std::int64_t in_flight = 1;
  Spread total;
};

/// What is kept and the loss err independently of each other: JCGM 100:2008, 5.1.2.
Spread together(const Spread& a, const Spread& b) {
  const double expected = a.expected + b.expected;
  return {expected - std::hypot(a.expected - a.low, b.expected - b.low), expected,
          expected + std::hypot(a.high - a.expected, b.high - b.expected)};
}

Spread smaller_by(const Spread& from, double bytes) {
  return {std::max(0.0, from.low - bytes), std::max(0.0, from.expected - bytes),
          std::max(0.0, from.high - bytes)};
}

Spread loss_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const TrainingPlan& run = plan.training;
  if (!situation.stage.has_head || !plan.model->has_head) return {};
  const double logits =
      static_cast<double>(plan.model->vocabulary) / static_cast<double>(plan.parallelism.tensor);
  switch (run.loss) {
    case LossKernel::Standard:
      return plan.facts.value("lossBytesStandard") * (run.tokens() * logits);
    case LossKernel::Chunked:
      return plan.facts.value("lossBytesChunked") * (run.tokens() * logits);
    case LossKernel::Fused:
      break;
  }
  return plan.facts.value("lossBytesStandard") * (std::min(run.tokens(), kChunkTokens) * logits);
}

/// Weights of one linear layer, unpacked for its product.
double dequantized(const Situation& situation) {
  if (situation.plan->training.method != TrainingMethod::Qlora) return 0;
  return kStepHalf * situation.trainer.linear;
}

/// Gradients of a plain trainer are freed after the step, and come back layer by layer.
bool gradients_come_and_go(const TrainingPlan& run) {
  return run.accumulation == 1 && run.precision != TrainingPrecision::Mixed &&
         !run.steps_in_backward;
}

Peak peak_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const TrainingPlan& run = plan.training;
  const double tokens = run.tokens();
  Peak peak;
  peak.in_flight = std::min(plan.parallelism.pipeline - situation.stage.index, run.accumulation);
  const PerToken token = situation.per_token ? *situation.per_token : per_token(situation);
  peak.stored = token.kept * tokens;
  peak.stored = peak.stored * static_cast<double>(std::max<std::int64_t>(1, peak.in_flight));
  peak.layer = token.layer * tokens;
  peak.loss = loss_of(situation);
  peak.scratch = step_scratch(situation);
  peak.dequantized = dequantized(situation);
  if (gradients_come_and_go(run)) peak.hidden_by_gradients = gradients_bytes(situation).expected;
  const Spread ratio = plan.facts.value("activationRatio");
  const Spread stored = scaled(peak.stored, ratio);
  const Spread layer = scaled(peak.layer, ratio);
  const Spread during = larger(together(stored, peak.loss), together(stored, layer));
  peak.total = larger(larger(smaller_by(during, peak.hidden_by_gradients), layer), peak.scratch) +
               certain(peak.dequantized);
  return peak;
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

}  // namespace

Spread activation_bytes(const Situation& situation) { return peak_of(situation).total; }

void describe_activation(const Situation& situation, domain::Term& term) {
  const Peak peak = peak_of(situation);
  const TrainingPlan& run = situation.plan->training;
  term.formula =
      "max(stored + max(loss, layer) - gradientsToCome, layer, optimizerScratch) + "
      "dequantized";
  term.inputs = {
      {"stored", whole(peak.stored.expected)},
      {"loss", whole(peak.loss.expected)},
      {"layer", whole(peak.layer.expected)},
      {"gradientsToCome", whole(peak.hidden_by_gradients)},
      {"optimizerScratch", whole(peak.scratch.expected)},
      {"dequantized", whole(peak.dequantized)},
      {"microBatch", run.micro_batch},
      {"sequence", run.sequence},
      {"passesInFlight", peak.in_flight},
      {"checkpointing", std::string(name_of(run.checkpointing))},
      {"lossKernel", std::string(name_of(run.loss))},
      {"vocabulary", situation.plan->model->vocabulary},
      {"hiddenSize", situation.plan->model->hidden_size},
      {"layers", situation.stage.layers},
  };
  term.source = situation.plan->facts.source("activationRatio");
}

Spread fragmentation_bytes(const Situation& situation) {
  const Spread share = situation.plan->facts.value("fragmentation");
  const double bytes = activation_bytes(situation).expected;
  return share * bytes;
}

void describe_fragmentation(const Situation& situation, domain::Term& term) {
  term.formula = "share x activation";
  term.inputs = {{"share", situation.plan->facts.expected("fragmentation")},
                 {"activation", whole(activation_bytes(situation).expected)}};
  term.source = situation.plan->facts.source("fragmentation");
}

}  // namespace gpushape::estimate::training
