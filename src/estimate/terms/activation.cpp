// The peak of the step that the engine profiles itself with. The sampler, a dense layer, a layer of
// experts and one with a recurrent state never stand at once, the encoder of images runs before
// them, and so does the compiler:
//
//   activation = max(encoderPass, encoderKept + max(sampler + max(expertsKept, indexer),
//                compressed + max(expertsKept, indexer), dense + indexer, drafts,
//                max(experts, indexer), recurrent), compiler) + workspace + received
//
// An indexer gathers its keys in the manager's workspace, which experts use in turn. `workspace` is
// the matrix library's, `received` the hidden states and residual that a later pipeline stage takes
// from the one before.
#include "estimate/terms/activation.hpp"

#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace gpushape::estimate::terms {
namespace {

/// What decides the peak.
enum class Cause { Sampler, Compressed, Dense, Drafts, Experts, Recurrent, Encoder, Compiler };

struct Peak {
  Step step;
  Spread sampler;
  Spread compressed;
  Spread dense;
  Spread drafts;
  ExpertsPeak experts;
  EncoderPeak encoder;
  Spread recurrent;
  Spread compiler;
  double indexer = 0;
  double workspace = 0;
  double received = 0;
  Cause cause = Cause::Sampler;
  Spread total;
};

Peak peak_of(const Situation& situation) {
  const Plan& plan = *situation.plan;
  Peak peak;
  peak.step = largest_step(situation);
  const Step& step = peak.step;
  peak.sampler = sampler_peak(step);
  peak.compressed = compressed_peak(step);
  peak.dense = dense_peak(step);
  peak.drafts = drafts_peak(step);
  peak.experts = experts_peak(step);
  peak.encoder = encoder_peak(step);
  peak.recurrent = recurrent_peak(step);
  peak.compiler = compiler_peak(step);
  peak.indexer = indexer_workspace(step);
  const Spread indexer = certain(peak.indexer);
  peak.workspace = plan.facts.expected("matrixWorkspace");
  if (situation.stage.index > 0) peak.received = 2 * step.tokens * step.hidden * step.dtype;
  const Spread& kept = peak.encoder.kept;
  const Spread beside = larger(peak.experts.kept, indexer) + kept;
  const std::array<std::pair<Cause, Spread>, 8> causes{{
      {Cause::Sampler, peak.sampler == Spread{} ? Spread{} : peak.sampler + beside},
      {Cause::Compressed, peak.compressed == Spread{} ? Spread{} : peak.compressed + beside},
      {Cause::Dense, peak.dense + indexer + kept},
      {Cause::Drafts, peak.drafts == Spread{} ? Spread{} : peak.drafts + kept},
      {Cause::Experts,
       peak.experts.layer == Spread{} ? Spread{} : larger(peak.experts.layer, indexer) + kept},
      {Cause::Recurrent, peak.recurrent == Spread{} ? Spread{} : peak.recurrent + kept},
      {Cause::Encoder, peak.encoder.pass},
      {Cause::Compiler, peak.compiler},
  }};
  for (const auto& [cause, bytes] : causes) {
    if (bytes.expected > peak.total.expected) peak.cause = cause;
    peak.total = larger(peak.total, bytes);
  }
  peak.total = peak.total + certain(peak.workspace + peak.received);
  return peak;
}

void describe_experts_kept(const Peak& peak, domain::Term& term) {
  if (peak.experts.kept.expected <= 0) return;
  if (peak.indexer <= 0) term.formula += " + expertsKept";
  term.inputs.push_back({"expertsKept", whole(peak.experts.kept.expected)});
}

void describe_sampler(const Peak& peak, const Plan& plan, domain::Term& term) {
  const Step& step = peak.step;
  term.formula =
      "maxNumSeqs x vocabulary x (dtypeBytes + samplerBytesPerLogit) + scratchRows x vocabulary "
      "x scratchBytes + (batchedTokens + 2 x maxNumSeqs) x hiddenSize x dtypeBytes";
  term.inputs = {
      {"maxNumSeqs", whole(step.sequences)},
      {"vocabulary", whole(step.vocabulary)},
      {"dtypeBytes", whole(step.dtype)},
      {"samplerBytesPerLogit", plan.facts.expected("samplerBytesPerLogit")},
      {"scratchRows", whole(std::min(plan.multiprocessors.expected, step.sequences))},
      {"scratchBytes", whole(plan.facts.expected("samplerScratchBytes"))},
      {"batchedTokens", whole(step.tokens)},
      {"hiddenSize", whole(step.hidden)},
  };
  term.source = plan.facts.source("samplerBytesPerLogit");
  const double rejection = plan.facts.expected("rejectionBytesPerLogit");
  if (checks_drafts(plan) && rejection > 0) {
    term.formula += " + maxNumSeqs x vocabulary x rejectionBytesPerLogit";
    term.inputs.push_back({"rejectionBytesPerLogit", rejection});
    term.source += "; " + plan.facts.source("rejectionBytesPerLogit");
  }
  describe_experts_kept(peak, term);
}

void describe_compressed(const Peak& peak, domain::Term& term) {
  explain_compressed(peak.step, term);
  describe_experts_kept(peak, term);
}

void describe_cause(const Peak& peak, const Plan& plan, domain::Term& term) {
  switch (peak.cause) {
    case Cause::Sampler:
      return describe_sampler(peak, plan, term);
    case Cause::Compressed:
      return describe_compressed(peak, term);
    case Cause::Dense:
      return explain_dense(peak.step, term);
    case Cause::Drafts:
      return explain_drafts(peak.step, term);
    case Cause::Experts:
      return explain_experts(peak.step, term);
    case Cause::Recurrent:
      return explain_recurrent(peak.step, term);
    case Cause::Encoder:
      return explain_encoder(peak.step, term);
    case Cause::Compiler:
      return explain_compiler(peak.step, term);
  }
}

/// What stands beside the cause, or in turn with it.
void describe_indexer(const Peak& peak, domain::Term& term) {
  const bool is_over_experts = peak.cause == Cause::Sampler || peak.cause == Cause::Compressed;
  const bool is_beside = is_over_experts || peak.cause == Cause::Dense;
  const bool takes_turns =
      peak.cause == Cause::Experts || (is_over_experts && peak.experts.kept.expected > 0);
  if (peak.indexer <= 0 || (!is_beside && !takes_turns)) return;
  if (peak.cause == Cause::Experts) {
    term.formula = "max(" + term.formula + ", indexer)";
  } else if (takes_turns) {
    term.formula += " + max(expertsKept, indexer)";
  } else {
    term.formula += " + indexer";
  }
  term.inputs.push_back({"indexer", whole(peak.indexer)});
}

void describe_kept(const Peak& peak, domain::Term& term) {
  const bool is_before = peak.cause == Cause::Encoder || peak.cause == Cause::Compiler;
  if (peak.encoder.kept.expected <= 0 || is_before) return;
  term.formula += " + encoderKept";
  term.inputs.push_back({"encoderKept", whole(peak.encoder.kept.expected)});
  term.inputs.push_back({"encoderItems", whole(peak.encoder.items)});
}

}  // namespace

Step largest_step(const Situation& situation) {
  const Plan& plan = *situation.plan;
  Step step;
  step.situation = &situation;
  step.tokens = static_cast<double>(plan.max_num_batched_tokens);
  const std::int64_t sampled =
      plan.sampled_sequences > 0 ? plan.sampled_sequences : plan.max_num_seqs;
  step.sequences = static_cast<double>(std::min(sampled, plan.max_num_batched_tokens));
  // The first generation profiles images with as many sequences as their tokens leave room for.
  for (const domain::Tower& tower : plan.model->towers) {
    const bool makes_tokens =
        tower.kind != domain::TowerKind::Projector && !is_attended_to(tower, *plan.model);
    if (!makes_tokens || tower.output_tokens <= 0 || plan.facts.expected("encoderOutputsKept") != 0)
      continue;
    const auto tokens = static_cast<double>(tower.output_tokens);
    if (plan.weights.loads_towers && plan.facts.expected("longInputsEncoded") != 0)
      step.tokens = std::max(step.tokens, tokens);
    step.sequences = std::max(1.0, std::min(step.sequences, std::floor(step.tokens / tokens)));
  }
  step.vocabulary = static_cast<double>(padded_vocabulary(*plan.model, plan.weights));
  step.hidden = static_cast<double>(plan.model->hidden_size);
  step.dtype = static_cast<double>(plan.weights.dtype_bytes);
  step.ranks = static_cast<double>(plan.parallelism.tensor);
  return step;
}

double stream_values(const Step& step) {
  constexpr std::string_view kMixer = "hc_attn_fn";  // catalog: a column for each value
  std::int64_t widest = 0;
  each_run(*step.situation->plan->model, step.situation->stage,
           [&](const domain::Layer& layer, std::int64_t) {
             for (const domain::ExtraTensor& tensor : layer.extra) {
               if (tensor.name == kMixer) widest = std::max(widest, tensor.columns);
             }
           });
  return static_cast<double>(widest);
}

void explain_hidden_tensors(const Step& step, domain::Term& term) {
  const Facts& facts = step.situation->plan->facts;
  term.formula += " + forwardHidden x batchedTokens x hiddenSize x dtypeBytes";
  term.inputs.push_back({"forwardHidden", facts.expected("forwardHidden")});
  term.inputs.push_back({"hiddenSize", whole(step.hidden)});
  if (const double values = stream_values(step); values > 0) {
    term.formula += " + residualStreams x batchedTokens x streamValues x dtypeBytes";
    term.inputs.push_back({"residualStreams", facts.expected("residualStreams")});
    term.inputs.push_back({"streamValues", whole(values)});
  }
  const double buffer = facts.expected("benchmarkBuffer");
  if (buffer <= 0) return;
  term.formula += " + benchmarkBuffer";
  term.inputs.push_back({"benchmarkBuffer", whole(buffer)});
}

Spread activation_bytes(const Situation& situation) { return peak_of(situation).total; }

void describe_activation(const Situation& situation, domain::Term& term) {
  const Peak peak = peak_of(situation);
  const Plan& plan = *situation.plan;
  describe_cause(peak, plan, term);
  describe_indexer(peak, term);
  describe_kept(peak, term);
  term.formula += " + workspace + received";
  term.inputs.push_back({"workspace", whole(peak.workspace)});
  term.inputs.push_back({"received", whole(peak.received)});
  if (peak.cause != Cause::Sampler) {
    term.inputs.push_back({"sampler", whole(peak.sampler.expected)});
  } else {
    term.inputs.push_back({"dense", whole(peak.dense.expected)});
  }
}

}  // namespace gpushape::estimate::terms
