// llama.cpp: loads the file's layers to the GPUs, makes a cache for its slots, and asks its planner
// for the compute buffers. Nothing grows later, and no share of the memory is asked for: it fits or
// it does not. From the build on that fits by itself, a margin is left free on every GPU.
//
//   needed = weights + projector + cache + state + compute buffer + CUDA context
//   pool   = total - margin - (needed - cache - state)
//
// Ollama runs the same with other defaults. Source: llama.cpp src/llama-context.cpp
// (memory_breakdown), common/fit.cpp; Ollama llm/llama_server.go.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/shares.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Part;
using domain::Range;

const ggml::DeviceNeeds& needs_of(const Situation& situation) {
  return situation.plan->needs_of(situation.stage);
}

bool is_on_gpu(const Situation& situation) { return situation.plan->offload->gpus > 0; }

bool has_cache(const Situation& situation) {
  return situation.plan->context_tokens.has_value() && needs_of(situation).cache > 0;
}
bool has_state(const Situation& situation) { return needs_of(situation).state > 0; }

Spread weights_bytes(const Situation& situation) {
  return situation.plan->facts.value("weightsRatio") *
         static_cast<double>(needs_of(situation).weights);
}

void describe_weights(const Situation& situation, domain::Term& term) {
  const ggml::DeviceNeeds& needs = needs_of(situation);
  const double ratio = situation.plan->facts.expected("weightsRatio");
  term.formula = ratio == 1 ? "tensorBytes" : "tensorBytes x weightsRatio";
  term.inputs = {{"tensorBytes", needs.weights},
                 {"layers", needs.layers},
                 {"hasHead", std::string(needs.has_head ? "true" : "false")},
                 {"fileBytes", situation.plan->needs->weights}};
  if (ratio != 1) term.inputs.push_back({"weightsRatio", ratio});
  term.source = situation.plan->facts.source("weightsRatio");
}

/// Encoders of images and sound lie in a file of their own (--mmproj), on the first GPU. Source:
/// llama.cpp tools/mtmd/clip.cpp.
bool has_projector(const Situation& situation) {
  const Plan& plan = *situation.plan;
  return plan.weights.loads_towers && !plan.model->towers.empty() && situation.stage.index == 0;
}

std::int64_t tower_values(const Situation& situation) {
  std::int64_t values = 0;
  for (const domain::Tower& tower : situation.plan->model->towers) values += tower.parameters;
  return values;
}

Spread projector_bytes(const Situation& situation) {
  return situation.plan->facts.value("projectorBytes") *
         static_cast<double>(tower_values(situation));
}

void describe_projector(const Situation& situation, domain::Term& term) {
  const Facts& facts = situation.plan->facts;
  term.formula = "values x projectorBytes";
  term.inputs = {{"values", tower_values(situation)},
                 {"projectorBytes", facts.expected("projectorBytes")}};
  term.source = facts.source("projectorBytes");
}

Spread cache_bytes(const Situation& situation) {
  return certain(static_cast<double>(needs_of(situation).cache));
}

void describe_cache(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const ggml::Offload& offload = *plan.offload;
  const ggml::DeviceNeeds& needs = needs_of(situation);
  term.formula = "cells x bytesPerCell";
  term.inputs = {{"cells", plan.needs->cells},
                 {"bytesPerCell", (needs.cache - needs.window_cache) / plan.needs->cells},
                 {"slots", plan.load.slots},
                 {"contextTokens", plan.load.context},
                 {"kvCacheType", std::string(name_of(offload.key_type))}};
  if (offload.value_type != offload.key_type)
    term.inputs.push_back({"valueCacheType", std::string(name_of(offload.value_type))});
  if (needs.window_cache > 0) {
    const std::int64_t cells =
        plan.needs->window_cells * (plan.load.is_shared ? 1 : plan.load.slots);
    term.formula += " + windowCells x windowBytesPerCell";
    term.inputs.push_back({"windowCells", cells});
    term.inputs.push_back({"windowBytesPerCell",
                           static_cast<double>(needs.window_cache) / static_cast<double>(cells)});
  }
  term.source = plan.facts.source("contextUnit");
}

Spread state_bytes(const Situation& situation) {
  return certain(static_cast<double>(needs_of(situation).state));
}

void describe_state(const Situation& situation, domain::Term& term) {
  const std::int64_t slots = situation.plan->load.slots;
  term.formula = "slots x stateBytesPerSlot";
  term.inputs = {{"slots", slots}, {"stateBytesPerSlot", needs_of(situation).state / slots}};
  term.source = situation.plan->facts.source("slots");
}

Spread compute_bytes(const Situation& situation) {
  return situation.plan->facts.value("computeRatio") *
         static_cast<double>(needs_of(situation).compute);
}

void describe_compute(const Situation& situation, domain::Term& term) {
  const Plan& plan = *situation.plan;
  const ggml::Offload& offload = *plan.offload;
  term.formula = "computeRatio x plannedBytes";
  term.inputs = {{"computeRatio", plan.facts.expected("computeRatio")},
                 {"plannedBytes", needs_of(situation).compute},
                 {"microBatch", offload.micro_batch},
                 {"vocabulary", plan.model->vocabulary},
                 {"hiddenSize", plan.model->hidden_size},
                 {"cells", plan.needs->cells},
                 {"flashAttention", std::string(offload.habits.flash_attention ? "true" : "false")},
                 {"copies", offload.copies}};
  term.source = plan.facts.source("computeRatio");
}

constexpr auto kLlamaCppTerms = std::to_array<EngineTerm>({
    {{"weights", Part::Weights, "tensors of the file on this device", weights_bytes,
      describe_weights, terms::always, Follows::Plan},
     Budget::Beside},
    {{"towers", Part::Weights, "encoders and projector of --mmproj", projector_bytes,
      describe_projector, has_projector, Follows::Plan},
     Budget::Beside},
    {{"kvCache", Part::KvCache, "cache of every slot", cache_bytes, describe_cache, has_cache},
     Budget::Pool},
    {{"state", Part::State, "recurrent state of every slot", state_bytes, describe_state,
      has_state},
     Budget::Pool},
    {{"computeBuffer", Part::Activation, "planned for the largest step", compute_bytes,
      describe_compute, terms::always},
     Budget::Beside},
    {described(where(kCudaContext, is_on_gpu), "the CUDA context and what the kernels take"),
     Budget::Beside},
});

Bytes at_least_none(Bytes bytes) { return std::max(bytes, Bytes(0)); }

/// All but the cache and the states.
Range beside_cache(const StageFigures& stage) {
  IndependentSum sum;
  for (std::size_t i = 0; i < kLlamaCppTerms.size(); ++i) {
    if (kLlamaCppTerms.at(i).budget != Budget::Pool) sum.add(stage.terms[i]);
  }
  return sum.range();
}

Bytes margin_of(const Plan& plan) { return Bytes(std::llround(plan.facts.expected("fitMargin"))); }

Range llama_cpp_pool_of(const StageFigures& stage, const Plan& plan,
                        const domain::VisibleMemory& gpu) {
  if (plan.given_pool) return domain::exactly(*plan.given_pool);
  const Range used = beside_cache(stage);
  const Range taken{.low = Bytes(0) - used.high,
                    .expected = Bytes(0) - used.expected,
                    .high = Bytes(0) - used.low};
  const Bytes most = gpu.takeable_bytes.value_or(gpu.bytes.expected);
  const Range total{.low = std::min(gpu.bytes.low, most),
                    .expected = most,
                    .high = std::max(gpu.bytes.high, most)};
  const Range sum = independent_sum(std::array{total, taken});
  const Bytes margin = margin_of(plan);
  return {.low = at_least_none(sum.low - margin),
          .expected = at_least_none(sum.expected - margin),
          .high = at_least_none(sum.high - margin)};
}

/// Cache and state of the slots on this device.
Bytes demand_on(const StageFigures& stage) {
  const ggml::DeviceNeeds& needs = needs_of(stage.situation);
  return Bytes(needs.cache + needs.state);
}

/// Cells that the pool holds for one slot: what the windows and states take does not grow.
std::int64_t tokens_in(Bytes pool, const StageFigures& stage) {
  const Plan& plan = *stage.situation.plan;
  const ggml::DeviceNeeds& needs = needs_of(stage.situation);
  const std::int64_t streams = plan.load.is_shared ? 1 : plan.load.slots;
  const std::int64_t slot_cells = plan.needs->cells / streams;
  if (needs.cache == 0 || slot_cells == 0) return 0;
  const std::int64_t fixed_window =
      plan.needs->window_cells > 0 && plan.needs->window_cells < slot_cells ? 1 : 0;
  // cache = full x cells + windows x window cells, of one stream.
  const std::int64_t of_stream = needs.cache / streams;
  std::int64_t full = needs.token_bytes;
  std::int64_t fixed = needs.state / plan.load.slots;
  if (fixed_window == 1) {
    full = (of_stream - needs.token_bytes * plan.needs->window_cells) /
           (slot_cells - plan.needs->window_cells);
    fixed += (needs.token_bytes - full) * plan.needs->window_cells;
  }
  const std::int64_t left = pool.count() - fixed;
  if (full <= 0 || left <= 0) return 0;
  const std::int64_t unit = plan.offload->context_unit;
  return left / full / unit * unit;
}

void note_capacity(const Plan& plan, const domain::Capacity& capacity,
                   std::vector<std::string>& notes) {
  const Bytes margin = margin_of(plan);
  if (margin > Bytes(0)) {
    notes.push_back(
        fmt::format("{:.0f} MiB are left free on each GPU, as the engine's own fitting "
                    "does (--fit-target)",
                    margin.gib() * 1024));
  }
  if (capacity.kv_pool_bytes.expected == Bytes(0)) {
    notes.emplace_back(
        "nothing is left for the cache: fewer layers on the GPU, a smaller file or a larger GPU");
  }
}

}  // namespace

std::span<const EngineTerm> llama_cpp_terms() { return kLlamaCppTerms; }

domain::Capacity llama_cpp_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                    const domain::VisibleMemory& gpu,
                                    std::vector<std::string>* notes) {
  domain::Capacity capacity = begin_capacity(plan, gpu);
  bool fits_expected = true;
  bool fits_high = true;
  bool is_first = true;
  for (const StageFigures& stage : stages) {
    const Range pool = llama_cpp_pool_of(stage, plan, gpu);
    const Bytes demand = demand_on(stage);
    fits_expected = fits_expected && pool.expected >= demand && pool.expected > Bytes(0);
    fits_high = fits_high && pool.low >= demand && pool.low > Bytes(0);
    const Bytes of_slot = demand / plan.load.slots;
    const double requests = of_slot > Bytes(0) ? static_cast<double>(pool.expected.count()) /
                                                     static_cast<double>(of_slot.count())
                                               : 0;
    const std::int64_t tokens = tokens_in(pool.expected, stage);
    if (is_first || pool.expected < capacity.kv_pool_bytes.expected) capacity.kv_pool_bytes = pool;
    if (is_first || tokens < capacity.kv_pool_tokens) capacity.kv_pool_tokens = tokens;
    if (is_first || requests < capacity.max_concurrency_at_context)
      capacity.max_concurrency_at_context = requests;
    is_first = false;
  }
  capacity.fits = fits_high && fits_expected;
  if (fits_expected) capacity.fits_at = fits_high ? domain::FitsAt::High : domain::FitsAt::Expected;
  if (notes != nullptr && !plan.given_pool) {
    capacity.kv_pool_formula =
        fmt::format("{}{} - {:.2f} GiB of margin", memory_word(gpu),
                    taken_off(stages.front(), kLlamaCppTerms,
                              {Budget::Profiled, Budget::Beside, Budget::Before, Budget::Graphs}),
                    margin_of(plan).gib());
    capacity.kv_pool_source = plan.facts.source("fitMargin");
  }
  if (notes != nullptr) note_capacity(plan, capacity, *notes);
  return capacity;
}

}  // namespace gpushape::estimate::engines
