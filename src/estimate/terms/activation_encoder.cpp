// The encoder of images or sound. The engine profiles itself with as many of the largest inputs as
// its budget of tokens holds, and keeps them and what comes out of them while the decoder's step
// runs.
//
//   items = min(max(T, outputTokens) / outputTokens, S)
//   kept  = items (inputValues + outputTokens widths h) dtypeBytes + buffers made on first use
//   pass  = items innerTokens max(2 or 3 w / ranks + encoderHidden d,
//                                 (2 + (encoderAttention - 2) / ranks) d) dtypeBytes
//           + items inputValues dtypeBytes
//
// A tower with a table of positions (Gemma 4) takes a chunk of `inputsAtOnce` in place of all
// items, and more for finding the positions than for a layer: inputsAtOnce innerTokens
// positionBytes.
//
// Qwen3-VL hands over what further mergers make for the decoder's first layers beside each token,
// so that there are 4 widths of h. Releases that profile it with a video make room for a whole
// budget of tokens. With d and w the encoder's hidden size and width: ranks share its network and
// its heads, and each has the layer's input and the normed one whole. Qwen3.5-27B on four RTX 3090
// leaves 7.56 GiB where the whole encoder on each would leave less than 7
// (https://github.com/leadawon/LAMBO). Source: vLLM v1/worker/gpu_model_runner.py, profile_run
// (dummy inputs, encoder_cache); 0.19 series: Gemma 3 3.89, 3.94 and 3.99 GiB.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "estimate/images.hpp"
#include "estimate/rank_towers.hpp"
#include "estimate/terms/activation.hpp"

namespace gpushape::estimate::terms {
namespace {

/// The tower whose inputs give the decoder most tokens: the one that the engine profiles.
const domain::Tower* profiled_tower(const domain::Model& model) {
  const domain::Tower* longest = nullptr;
  for (const domain::Tower& tower : model.towers) {
    if (tower.kind == domain::TowerKind::Projector || tower.output_tokens <= 0) continue;
    if (longest == nullptr || tower.output_tokens > longest->output_tokens) longest = &tower;
  }
  return longest;
}

/// Towers that the decoder attends to though they encode images mask the tiles that an image does
/// not fill, and keep the outputs of five blocks on their way (vision_output_dim is six widths).
/// Source: vLLM 0.6.6 model_executor/models/mllama.py, MllamaVisionModel; Llama-3.2-11B-Vision with
/// 128 sequences peaks at 36.63 GiB (https://github.com/vllm-project/vllm/pull/12126).
Spread tiles_peak(const domain::Tower& tower, double inputs, double dtype) {
  constexpr double kKeptBlocks = 5;
  constexpr double kHiddenAtNetwork = 1;  // beside its two widths: what is added to its output
  const auto tokens = static_cast<double>(tower.inner_tokens);
  const auto hidden = static_cast<double>(tower.hidden_size);
  const double of_token =
      2 * static_cast<double>(tower.width) + (kHiddenAtNetwork + kKeptBlocks) * hidden + tokens;
  const double bytes = inputs * tokens * of_token * dtype;
  // Blocks that are not yet made, and copies beside those that are.
  return {.low = bytes - inputs * tokens * kHiddenAtNetwork * hidden * dtype,
          .expected = bytes,
          .high = bytes + inputs * tokens * kKeptBlocks * hidden * dtype};
}

/// Whether the engine profiles the tower with a video, whose frames are small images: a tower that
/// takes its inputs in chunks. Source: vLLM model_executor/models/gemma4_mm.py.
bool takes_frames(const Plan& plan, const domain::Tower& tower) {
  return tower.chunk_token_bytes > 0 && plan.facts.expected("videoFrames") > 0;
}

/// What the profiled input of the tower is: its largest image, or a video.
struct ProfiledInput {
  double length = 1;  ///< against the largest image
  double tokens = 0;  ///< that room is made for in the cache
  double part = 1;    ///< what the tower takes alone at least, against the largest image
};

ProfiledInput profiled_input(const Plan& plan, const domain::Tower& tower, double items) {
  const auto tokens = static_cast<double>(tower.output_tokens);
  if (takes_frames(plan, tower)) {
    const double frame = plan.facts.expected("frameTokens") / tokens;
    return {.length = plan.facts.expected("videoFrames") * frame,
            .tokens = items * plan.facts.expected("framedVideoTokens"),
            .part = frame};
  }
  const double video = plan.facts.expected("videoTokens");
  if (video <= tokens || fed_layers(*plan.model) == 0)
    return {.length = 1, .tokens = items * tokens};
  return {.length = video / tokens,
          .tokens = std::max(items * video, plan.facts.expected("videoBudget"))};
}

double items_at_once(const Step& step, const domain::Tower& tower) {
  const Plan& plan = *step.situation->plan;
  const double tokens = takes_frames(plan, tower) ? plan.facts.expected("framedVideoTokens")
                                                  : static_cast<double>(tower.output_tokens);
  // An encoder-decoder of the first generation encodes the input of every sequence.
  const bool is_of_each =
      is_attended_to(tower, *plan.model) && plan.facts.expected("encoderOfEachSequence") != 0;
  if (is_of_each) return step.sequences;
  return std::max(1.0, std::min(std::floor(step.tokens / tokens), step.sequences));
}

}  // namespace

bool is_attended_to(const domain::Tower& tower, const domain::Model& model) {
  return tower.kind == domain::TowerKind::Encoder ||
         std::ranges::any_of(model.layers, [](const domain::LayerRun& run) {
           return run.layer.attention.kind == domain::LayerKind::Cross;
         });
}

namespace {

/// The tower that the engine profiles with on this stage; nullptr for none. Source: vLLM
/// v1/worker/gpu_model_runner.py, profile_run: every rank runs its encoder; of the first generation
/// (worker/model_runner.py), ranks that take hidden states of others do not.
const domain::Tower* tower_of(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const domain::Tower* tower = profiled_tower(*plan.model);
  const bool is_there = tower != nullptr && plan.weights.loads_towers;
  if (!is_there) return nullptr;
  const bool is_first_generation = plan.facts.expected("encoderOutputsKept") == 0;
  if (is_first_generation && !step.situation->stage.has_embedding) return nullptr;
  // It leaves out an input that its step does not hold, too, or makes the step as long.
  const bool skips_long = is_first_generation && plan.facts.expected("longInputsEncoded") == 0;
  const bool is_too_long = skips_long && !is_attended_to(*tower, *plan.model) &&
                           static_cast<double>(tower->output_tokens) > step.tokens;
  return is_too_long ? nullptr : tower;
}

bool has_tiles(const domain::Tower& tower, const domain::Model& model) {
  return is_attended_to(tower, model) && tower.kind == domain::TowerKind::Vision;
}

NameKey rotation_of(const domain::Tower& tower) {
  if (tower.rotates_joined) return "encoderJoinedAttention";
  if (tower.gated || tower.rotates_copies) return "encoderGatedAttention";
  return "encoderAttention";
}

/// Inputs that the tower takes at once, in largest images: all; or where it reckons with its table
/// of positions one part after another, by later versions chunks of a tenth of the GPU, of half of
/// what is free where that is less. Source: vLLM model_executor/models/gemma4_mm.py,
/// _encoder_chunk.
Spread inputs_at_once(const Situation& situation, const domain::Tower& tower,
                      const ProfiledInput& profiled, double inputs) {
  const Plan& plan = *situation.plan;
  if (tower.chunk_token_bytes == 0) return certain(inputs);
  const Spread part = certain(std::min(inputs, profiled.part));
  if (plan.facts.expected("encoderChunks") == 0) return part;
  if (plan.visible == Bytes(0)) return {part.low, inputs, inputs};
  constexpr double kShareOfGpu = 0.1;
  constexpr double kShareOfFree = 0.5;
  const auto visible = static_cast<double>(plan.visible.count());
  const double free = visible - static_cast<double>(situation.weights.reserved.count());
  const double parts = std::floor(std::min(kShareOfGpu * visible, kShareOfFree * free) /
                                  (static_cast<double>(tower.chunk_token_bytes) *
                                   static_cast<double>(tower.inner_tokens) * profiled.part));
  const auto of = [&](double count) {
    return std::min(inputs, profiled.part * std::max(1.0, count));
  };
  // What else is on the GPU leaves less free, and its size may be another by a part.
  return {.low = of(parts - 1), .expected = of(parts), .high = of(parts + 1)};
}

/// Of the values that find positions in the tower's table: rows of zeros and a one as 64-bit
/// integers, two for each token, and the same in the activations' type while they are turned into
/// it. Source: transformers models/gemma4/modeling_gemma4.py, Gemma4VisionPatchEmbedder; on a B200
/// 92 frames of 630 tokens take 11.1 GiB of the 11.7 by which gemma-4-26B-A4B and E4B-it of 0.22.0
/// peak (https://github.com/EricLBuehler/mistral.rs gemma4_b200_sweep_20260529).
double positions_bytes(const Step& step, const domain::Tower& tower) {
  constexpr double kReckonedRows = 2;  // chunk_token_bytes are of integers twice
  constexpr double kInteger = 8;
  const double integers = static_cast<double>(tower.chunk_token_bytes) / kReckonedRows;
  return static_cast<double>(tower.inner_tokens) * integers * (1 + step.dtype / kInteger);
}

/// At the widest point of a layer: its network, or its attention.
Spread layer_peak(const Step& step, const domain::Tower& tower, double inner) {
  const Plan& plan = *step.situation->plan;
  const auto hidden = static_cast<double>(tower.hidden_size);
  const double ranks = plan.weights.towers_whole ? 1 : step.ranks;
  const Spread widths = plan.facts.value("encoderWidths") + certain(tower.gated ? 1 : 0);
  const Spread network = widths * (inner * static_cast<double>(tower.width) / ranks) +
                         plan.facts.value("encoderHidden") * (inner * hidden);
  constexpr double kWhole = 2;
  const Spread heads = plan.facts.value(rotation_of(tower)) + certain(-kWhole);
  const bool is_shared = shares_heads(tower, std::llround(ranks));
  const Spread attention =
      (certain(kWhole) + heads * (is_shared ? 1 / ranks : 1)) * (inner * hidden);
  return larger(network, attention);
}

}  // namespace

EncoderPeak encoder_peak(const Step& step) {
  const Plan& plan = *step.situation->plan;
  const domain::Tower* tower = tower_of(step);
  if (tower == nullptr) return {};
  EncoderPeak peak;
  peak.items = items_at_once(step, *tower);
  const ProfiledInput profiled = profiled_input(plan, *tower, peak.items);
  peak.inputs = peak.items * profiled.length;
  const double widths = 1 + static_cast<double>(fed_layers(*plan.model));
  const double input = peak.inputs * static_cast<double>(tower->input_values) * step.dtype;
  const double outputs = profiled.tokens * widths * step.hidden * step.dtype;
  if (plan.facts.expected("encoderOutputsKept") != 0)
    peak.kept = certain(input + outputs) + plan.facts.value("encoderBuffers");
  if (has_tiles(*tower, *plan.model)) {
    peak.layer = tiles_peak(*tower, peak.inputs, step.dtype);
  } else {
    const Spread of_input =
        layer_peak(step, *tower, static_cast<double>(tower->inner_tokens) * step.dtype);
    const Spread at_once = inputs_at_once(*step.situation, *tower, profiled, peak.inputs);
    peak.positions =
        scaled(plan.facts.value("positionsByOneHot"), at_once) * positions_bytes(step, *tower);
    peak.layer = larger(scaled(of_input, at_once), peak.positions);
  }
  peak.pass = peak.layer + certain(input);
  return peak;
}

void explain_encoder(const Step& step, domain::Term& term) {
  const domain::Tower* tower = tower_of(step);
  if (tower == nullptr) return;
  const Facts& facts = step.situation->plan->facts;
  const EncoderPeak peak = encoder_peak(step);
  const ProfiledInput profiled = profiled_input(*step.situation->plan, *tower, peak.items);
  const double at_once = inputs_at_once(*step.situation, *tower, profiled, peak.inputs).expected;
  if (peak.positions.expected > 0 && peak.positions.expected >= peak.layer.expected) {
    term.formula =
        "inputsAtOnce x innerTokens x positionBytes + encoderInputs x inputValues x dtypeBytes";
    term.inputs = {
        {"encoderInputs", peak.inputs},
        {"inputsAtOnce", at_once},
        {"innerTokens", tower->inner_tokens},
        {"positionBytes", positions_bytes(step, *tower) / static_cast<double>(tower->inner_tokens)},
        {"inputValues", tower->input_values},
        {"dtypeBytes", whole(step.dtype)},
        {"encoderItems", whole(peak.items)}};
    term.source = facts.source("positionsByOneHot") + "; " + facts.source("encoderChunks");
    return;
  }
  const double inner = at_once * static_cast<double>(tower->inner_tokens) * step.dtype;
  term.formula =
      at_once == peak.inputs
          ? "encoderInputs x (innerTokens x layerValues + inputValues) x dtypeBytes"
          : "(inputsAtOnce x innerTokens x layerValues + encoderInputs x inputValues) x dtypeBytes";
  term.inputs = {{"encoderInputs", peak.inputs},
                 {"inputsAtOnce", at_once},
                 {"innerTokens", tower->inner_tokens},
                 {"outputTokens", tower->output_tokens},
                 {"layerValues", peak.layer.expected / inner},
                 {"inputValues", tower->input_values},
                 {"dtypeBytes", whole(step.dtype)},
                 {"encoderItems", whole(peak.items)},
                 {"encoderHiddenSize", tower->hidden_size},
                 {"encoderWidth", tower->width},
                 {"encoderWidths", facts.expected("encoderWidths")},
                 {"encoderHidden", facts.expected("encoderHidden")},
                 {domain::Symbol(rotation_of(*tower)), facts.expected(rotation_of(*tower))}};
  term.source = facts.source("encoderHidden");
}

}  // namespace gpushape::estimate::terms
