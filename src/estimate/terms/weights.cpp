// Weights as loaded: the tensors of this rank, as the engine fuses and quantizes them, plus one
// table of rotary angles per stage, counted in the blocks of the framework's allocator, or in the
// segments that it cuts them from where the engine reads free memory, and what else the engine's
// reading takes for weights.
#include <algorithm>
#include <cmath>

#include "estimate/open_recipe.hpp"
#include "estimate/rank_tensors.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate::terms {
namespace {

bool counts_segments(const Situation& situation) {
  return situation.plan->facts.expected("weightsAsReserved") != 0;
}

Bytes held_bytes(const Situation& situation) {
  return counts_segments(situation) ? situation.weights.reserved : situation.weights.allocated;
}

Bytes held_by_towers(const Situation& situation) {
  const LoadedTowers& towers = situation.weights.towers;
  return counts_segments(situation) ? towers.reserved : towers.allocated;
}

/// Of the stage, experts that are quantized: kernels lay out a layer's once more while the first
/// still stands, and free memory shows both.
double layer_of_experts(const Situation& situation) {
  const Plan& plan = *situation.plan;
  if (plan.weights.scheme.granularity == domain::ScaleGranularity::None) return 0;
  WeightsLayout layout = plan.weights;
  layout.has_embedding_on_every_stage = false;
  layout.has_head_on_every_stage = false;
  layout.has_rotary_tables = false;
  std::int64_t index = 0;
  double largest = 0;
  for (const domain::LayerRun& run : plan.model->layers) {
    if (run.layer.feed_forward.experts) {
      const Stage one{.index = situation.stage.index,
                      .first_layer = index,
                      .layers = 1,
                      .has_embedding = false,
                      .has_head = false};
      const LoadedWeights layer = load_weights(*plan.model, layout, one);
      largest = std::max(largest, static_cast<double>(layer.tensors.count()));
    }
    index += run.count;
  }
  return largest;
}

/// Bytes that another kernel for the same format would do without. AITER's take rows as they are:
/// gemma-4-12B-it in FP8 by 0.26.0 on gfx942 loads 12.49 GiB with them, 12.96 with room behind
/// rows. Marlin's take zero points as they are stored.
double less_by_kernel(const Situation& situation) {
  const Plan& plan = *situation.plan;
  WeightsLayout least = plan.weights;
  least.row_bytes = 0;
  least.expert_padding.row_bytes = 0;
  least.zero_bits = 0;
  if (const double unit = plan.facts.expected("expertWidthUnitLeast"); unit > 0)
    least.expert_padding.width =
        std::min<std::int64_t>(least.expert_padding.width, std::llround(unit));
  if (least == plan.weights) return 0;
  const LoadedWeights loaded = load_weights(*plan.model, least, situation.stage);
  return static_cast<double>((situation.weights.tensors - loaded.tensors).count());
}

/// Bytes that another kernel for the same format would take on top.
double more_by_kernel(const Situation& situation) {
  const Plan& plan = *situation.plan;
  WeightsLayout most = plan.weights;
  if (plan.weights.scheme.granularity == domain::ScaleGranularity::Block &&
      plan.facts.expected("blockScalesOpen") != 0)
    most.repeats_block_scales = true;
  if (plan.weights.scheme.zero_bits > 0 && plan.facts.expected("zeroPointBitsMost") > 0)
    most.zero_bits = static_cast<int>(plan.facts.expected("zeroPointBitsMost"));
  if (most == plan.weights) return 0;
  const LoadedWeights loaded = load_weights(*plan.model, most, situation.stage);
  return static_cast<double>((loaded.tensors - situation.weights.tensors).count());
}

/// The head of a reranker that generates is not kept where it is made a classifier by two rows of
/// it.
double less_by_classifier(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const domain::Model& model = *plan.model;
  if (plan.facts.expected("classifiersFromHeads") == 0 || model.role != domain::Role::Rerank)
    return 0;
  if (!model.has_head || model.tied_embeddings || !situation.stage.has_head) return 0;
  const std::int64_t table = padded_vocabulary(model, plan.weights) *
                             domain::embedding_columns(model) * plan.weights.dtype_bytes;
  return static_cast<double>(table) / static_cast<double>(plan.weights.tensor_parallel);
}

/// Dense layers behind the pooling are kept in 32 bits. Source: vLLM config/model.py, head_dtype.
double pooling_bytes(const Situation& situation) {
  constexpr double kWholeBytes = 4;
  const Stage& stage = situation.stage;
  const std::int64_t values = stage.has_head ? situation.plan->model->pooling_values : 0;
  return kWholeBytes * static_cast<double>(values);
}

/// What the engine's reading takes for weights though it is none: workspaces, and kernels' code
/// where it reads free memory.
Spread beside_weights(const Situation& situation) {
  const Facts& facts = situation.plan->facts;
  Spread beside = facts.value("besideWeights");
  if (const Spread copies = facts.value("expertCopies"); copies.high > 0)
    beside = beside + copies * layer_of_experts(situation);
  return beside + facts.value("poolingCopies") * pooling_bytes(situation);
}

}  // namespace

// Embedding, head and towers stay on the GPU. Source: vLLM model_executor/models/utils.py,
// maybe_offload_to_cpu; from 0.17 model_executor/offloader/uva.py.
Bytes offloaded_bytes(const Situation& situation) {
  if (situation.plan->offloaded <= Bytes(0)) return {};
  Stage layers = situation.stage;
  layers.layers = 0;
  layers.first_layer = 0;
  const LoadedWeights outer = load_weights(*situation.plan->model, situation.plan->weights, layers);
  return std::min(situation.plan->offloaded, situation.weights.tensors - outer.tensors);
}

Spread loaded_bytes(const Situation& situation) {
  const Plan& plan = *situation.plan;
  const auto bytes = static_cast<double>(held_bytes(situation).count());
  const Spread ratio = plan.facts.value("weightsRatio");
  const auto away = static_cast<double>(offloaded_bytes(situation).count());
  Spread loaded = ratio * (bytes - away);
  // With expandable segments (PYTORCH_CUDA_ALLOC_CONF) no rest of a segment is lost, and nothing is
  // rounded up: Qwen2.5-14B in FP8 takes 15.2227 GiB of a GB10, which are its tensors (0.13.0 of
  // NVIDIA's container 26.01), where segments make it 15.39.
  const auto allocated = static_cast<double>(situation.weights.allocated.count());
  if (counts_segments(situation)) loaded.low = ratio.low * (std::min(bytes, allocated) - away);
  const Bytes exact = situation.weights.tensors + situation.weights.rotary;
  loaded.low = std::min(loaded.low, static_cast<double>(exact.count()) - away);
  loaded = loaded + beside_weights(situation);
  loaded.low -= less_by_kernel(situation) + less_by_classifier(situation);
  loaded.high += more_by_kernel(situation);
  loaded.low -= static_cast<double>(situation.recipe.less.count());
  loaded.high += static_cast<double>(situation.recipe.more.count());
  return loaded;
}

bool has_towers(const Situation& situation) { return situation.weights.towers.tensors > Bytes(0); }

Spread towers_bytes(const Situation& situation) {
  return certain(static_cast<double>(held_by_towers(situation).count()));
}

void describe_towers(const Situation& situation, domain::Term& term) {
  const domain::Model& model = *situation.plan->model;
  term.formula = "tensorBytes + allocatorBytes";
  term.inputs = {
      {"tensorBytes", situation.weights.towers.tensors.count()},
      {"allocatorBytes", (held_by_towers(situation) - situation.weights.towers.tensors).count()},
      {"towers", static_cast<std::int64_t>(model.towers.size())},
  };
  for (const domain::Tower& tower : model.towers) {
    if (tower.layers <= 0) continue;
    term.inputs.push_back({"layers", tower.layers});
    term.inputs.push_back({"hiddenSize", tower.hidden_size});
    break;
  }
  term.source = situation.plan->facts.source("weightsRatio") +
                "; the bounds of all weights stand with those of the layers";
}

/// One reading holds them all, and its bounds are those of the sum.
Spread weights_bytes(const Situation& situation) {
  const Spread all = loaded_bytes(situation);
  const auto towers = static_cast<double>(held_by_towers(situation).count());
  return {all.low - towers, all.expected - towers, all.high - towers};
}

namespace {

/// Where kernels hold experts wider than they are, how much, and why; and scales of theirs that are
/// laid out anew.
void describe_experts(const Plan& plan, domain::Term& term) {
  const auto run = std::ranges::find_if(plan.model->layers, [](const domain::LayerRun& one) {
    return one.layer.feed_forward.experts.has_value();
  });
  if (run == plan.model->layers.end()) return;
  const ExpertPadding& padding = plan.weights.expert_padding;
  const bool has_mxfp4 = plan.weights.scheme.quantization == domain::Quantization::Mxfp4;
  if (has_mxfp4 && padding.scale_rows > 0) {
    term.inputs.push_back({"expertScaleRows", padding.scale_rows});
    term.inputs.push_back({"expertScalesHeld", std::int64_t{padding.keeps_scales ? 2 : 1}});
    term.source += "; scales of experts: " + plan.facts.source("expertScalesKept");
  }
  const ExpertWidth width =
      expert_width_on_rank(run->layer.feed_forward.experts->width, plan.weights);
  if (width.padded == width.shared) return;
  term.inputs.push_back({"expertWidth", width.shared});
  term.inputs.push_back({"paddedExpertWidth", width.padded});
  term.source += "; width of experts: " + plan.facts.source("expertWidthUnit");
}

}  // namespace

void describe_weights(const Situation& situation, domain::Term& term) {
  const LoadedWeights& loaded = situation.weights;
  const WeightsLayout& layout = situation.plan->weights;
  term.formula = "tensorBytes + rotaryBytes + allocatorBytes";
  term.inputs = {
      {"tensorBytes", (loaded.tensors - loaded.towers.tensors).count()},
      {"rotaryBytes", loaded.rotary.count()},
      {"allocatorBytes", (held_bytes(situation) - held_by_towers(situation) -
                          (loaded.tensors - loaded.towers.tensors) - loaded.rotary)
                             .count()},
      {"layers", situation.stage.layers},
      {"tensorParallel", layout.tensor_parallel},
      {"weightBits", std::int64_t{layout.scheme.weight_bits}},
      {"dtypeBytes", layout.dtype_bytes},
      {"paddedVocabulary", padded_vocabulary(*situation.plan->model, layout)},
      {"rotaryPositions", situation.plan->model->rope.positions},
  };
  if (const double beside = beside_weights(situation).expected; beside > 0) {
    term.formula += " + besideBytes";
    term.inputs.push_back({"besideBytes", static_cast<std::int64_t>(beside)});
  }
  if (const Bytes away = offloaded_bytes(situation); away > Bytes(0)) {
    term.formula += " - offloadedBytes";
    term.inputs.push_back({"offloadedBytes", away.count()});
  }
  term.source = situation.plan->facts.source("weightsRatio");
  describe_experts(*situation.plan, term);
  if (pooling_bytes(situation) > 0 && situation.plan->facts.expected("poolingCopies") > 0)
    term.source += "; behind the pooling: " + situation.plan->facts.source("poolingCopies");
  if (layout.is_recipe_open) {
    term.source +=
        "; only the format is told: which layers stay in 16 bits, how large groups are and whether "
        "they have zero points is the publisher's recipe, and the bounds hold those in use";
  }
}

}  // namespace gpushape::estimate::terms
