// The causes of the activation peak, one file each, for the term that puts them together
// (activation.cpp). All of them look at the largest step that the engine profiles itself with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {

/// The largest step of a plan on one stage, as numbers.
struct Step {
  const Situation* situation = nullptr;
  double tokens = 0;
  double sequences = 0;
  double vocabulary = 0;  ///< padded
  double hidden = 0;
  double dtype = 0;  ///< bytes of one activation
  double ranks = 1;  ///< that share a layer's width
};

Step largest_step(const Situation& situation);

/// A draft model's proposals are checked while the engine profiles itself.
bool checks_drafts(const Plan& plan);

/// The sampler's copies of the logits; zero on stages without a head.
Spread sampler_peak(const Step& step);
/// Versions that sample with FlashInfer where it is installed, and with torch where it is not, need
/// one peak or the other: everything else errs on top of either.
bool may_sample_in_two_ways(const Plan& plan);
/// The widest dense layer of the stage.
Spread dense_peak(const Step& step);
/// Formula, inputs and source of a peak, as those below.
void explain_dense(const Step& step, domain::Term& term);

/// The pass of a head that proposes tokens, over all of the step's; zero where it is not
/// profiled.
Spread drafts_peak(const Step& step);
void explain_drafts(const Step& step, domain::Term& term);

struct ExpertsPeak {
  Spread layer;  ///< while a layer with experts runs
  Spread kept;   ///< what stays allocated behind it, under the sampler too
};
ExpertsPeak experts_peak(const Step& step);
/// Of ExpertsPeak::layer.
void explain_experts(const Step& step, domain::Term& term);

/// The decoder attends to what comes out of the tower, rather than to tokens made of it.
bool is_attended_to(const domain::Tower& tower, const domain::Model& model);

struct EncoderPeak {
  double items = 0;   ///< largest inputs that are encoded at once
  double inputs = 0;  ///< as long as so many images, where it is a video
  Spread positions;   ///< of `pass`: while positions are found in a table
  Spread layer;       ///< of `pass`: the widest layer, or the positions where they take more
  Spread pass;        ///< while the encoder runs
  Spread kept;        ///< inputs and outputs that stay while the decoder runs
};
EncoderPeak encoder_peak(const Step& step);
/// Of EncoderPeak::pass.
void explain_encoder(const Step& step, domain::Term& term);

/// Keys that an indexer gathers for one step, for so many of the longest requests.
double indexer_workspace(const Step& step);

/// A layer of compressed attention; zero without any.
Spread compressed_peak(const Step& step);
void explain_compressed(const Step& step, domain::Term& term);

/// The widest layer with a recurrent state.
Spread recurrent_peak(const Step& step);
void explain_recurrent(const Step& step, domain::Term& term);

/// Bytes of the tables that tokens are looked up in on this rank, where a compiled graph takes
/// tokens; else 0.
double token_tables(const Step& step);
/// What a start that compiles its graphs holds while it does.
Spread compiler_peak(const Step& step);
void explain_compiler(const Step& step, domain::Term& term);

/// Values of one token in all streams of a residual that layers mix (hyper-connections); 0 where
/// they add to one.
double stream_values(const Step& step);

/// Hidden-sized tensors beside the widest point of a layer, with the streams of the residual before
/// a half of the layer and behind it; and where its kernels are measured while it runs, the buffer
/// that empties the GPU's cache in between.
inline Spread hidden_tensors(const Step& step) {
  const Facts& facts = step.situation->plan->facts;
  return facts.value("forwardHidden") * (step.tokens * step.hidden * step.dtype) +
         facts.value("residualStreams") * (step.tokens * stream_values(step) * step.dtype) +
         facts.value("benchmarkBuffer");
}

inline std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

/// " + forwardHidden x …" of `hidden_tensors`, with the inputs that a peak has not named yet.
void explain_hidden_tensors(const Step& step, domain::Term& term);

}  // namespace gpushape::estimate::terms
