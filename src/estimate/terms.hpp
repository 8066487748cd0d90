// The terms of an estimate: one function for the figure and one for the words, one file each in
// terms/. An engine lists the terms it has, in display order (engines.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/estimate.hpp"
#include "estimate/cache_layout.hpp"
#include "estimate/open_recipe.hpp"
#include "estimate/plan.hpp"
#include "estimate/spread.hpp"
#include "estimate/traffic/cache_traffic.hpp"
#include "estimate/training/counted_values.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

/// What follows from model, layout and stage alone.
struct CountedStage {
  LoadedWeights weights;
  RecipeBounds recipe;              ///< none where the recipe is told
  training::CountedValues trainer;  ///< where the plan is one
};
CountedStage count_stage(const Plan& plan, const Stage& stage);

/// One stage of a plan, with what several terms need of it.
struct Situation {
  const Plan* plan = nullptr;
  Stage stage;
  LoadedWeights weights;
  RecipeBounds recipe;
  CacheLayout cache;
  std::optional<CacheTraffic> traffic;  ///< where more than a ceiling is known of it
  training::CountedValues trainer;
  std::optional<training::PerToken> per_token;  ///< of a trainer whose activations grow with tokens
};

Situation situation_of(const Plan& plan, const Stage& stage);
/// With what was counted before.
Situation situation_of(const Plan& plan, const Stage& stage, const CountedStage& counted);

/// What of a request changes a term's figure, so that a sweep asks for it again only then.
enum class Follows {
  Plan,   ///< nothing that EngineRow::settle may change, but facts
  Batch,  ///< max_num_seqs, max_num_batched_tokens, largest_graph, sampled_sequences, and the
          ///< longest request where an indexer gathers its keys
  Load,   ///< any of it: context, concurrency …
};

/// Whether the engine counts all that the GPU holds beside its framework's memory as its own, the
/// CUDA context and the communicators among it.
bool counts_context(const Plan& plan);

/// Bytes of the pool that the workload needs on this stage, recurrent states included; one request
/// where nobody says how many. What an engine's `capacity` holds against its pool.
domain::Range pool_demand(const Situation& situation);
/// The same for engines that count in requests at the full context: as many of those as hold what
/// the sequences in flight hold. States are each sequence's own, so with any every sequence counts.
Spread wanted_requests(const Situation& situation);

struct TermRow {
  std::string_view name;
  domain::Part part;
  std::string_view description;
  Spread (*bytes)(const Situation&);
  /// Fills formula, inputs and source.
  void (*describe)(const Situation&, domain::Term&);
  /// Whether the term takes part at all.
  bool (*applies)(const Situation&);
  Follows follows = Follows::Load;
};

namespace terms {

bool always(const Situation& situation);

/// All weights of the stage, those of towers included, as far as they stand on the GPU.
Spread loaded_bytes(const Situation& situation);
/// What of a GPU's weights lies in host memory instead.
Bytes offloaded_bytes(const Situation& situation);
Spread weights_bytes(const Situation& situation);
void describe_weights(const Situation& situation, domain::Term& term);
/// Encoders of images and sound, with their projectors.
Spread towers_bytes(const Situation& situation);
void describe_towers(const Situation& situation, domain::Term& term);
bool has_towers(const Situation& situation);
// Of vLLM: beside the weights, for the tokens of a step.
Spread step_buffers_bytes(const Situation& situation);
void describe_step_buffers(const Situation& situation, domain::Term& term);
bool has_step_buffers(const Situation& situation);

Spread adapters_bytes(const Situation& situation);
void describe_adapters(const Situation& situation, domain::Term& term);
bool has_adapters(const Situation& situation);

Spread draft_bytes(const Situation& situation);
void describe_draft(const Situation& situation, domain::Term& term);
bool has_draft(const Situation& situation);

Spread kv_cache_bytes(const Situation& situation);
void describe_kv_cache(const Situation& situation, domain::Term& term);
bool kv_cache_is_asked_for(const Situation& situation);
/// What a request's images take of it, beside its text.
Spread image_cache_bytes(const Situation& situation);
void describe_image_cache(const Situation& situation, domain::Term& term);
bool images_are_asked_for(const Situation& situation);

Spread state_bytes(const Situation& situation);
void describe_state(const Situation& situation, domain::Term& term);
bool state_is_asked_for(const Situation& situation);

Spread activation_bytes(const Situation& situation);
void describe_activation(const Situation& situation, domain::Term& term);

/// Of Hugging Face generate: the prefill of all prompts, and a cache that is lengthened by copying.
Spread prefill_bytes(const Situation& situation);
void describe_prefill(const Situation& situation, domain::Term& term);
bool cache_grows(const Situation& situation);
Spread growth_bytes(const Situation& situation);
void describe_growth(const Situation& situation, domain::Term& term);

Spread graphs_bytes(const Situation& situation);
void describe_graphs(const Situation& situation, domain::Term& term);
bool graphs_are_captured(const Situation& situation);

Spread cuda_context_bytes(const Situation& situation);
void describe_cuda_context(const Situation& situation, domain::Term& term);

Spread non_torch_bytes(const Situation& situation);
void describe_non_torch(const Situation& situation, domain::Term& term);

Spread communicators_bytes(const Situation& situation);
void describe_communicators(const Situation& situation, domain::Term& term);
bool several_gpus_work_together(const Situation& situation);
/// Engines that are parallel by data deal out the experts of a model among them.
bool experts_span_engines(const Plan& plan);
/// Or share the experts of a model whose attention each has whole.
bool several_ranks_work_together(const Situation& situation);

Spread collectives_bytes(const Situation& situation);
void describe_collectives(const Situation& situation, domain::Term& term);
bool tensors_are_split(const Situation& situation);
/// Tensors are split, or engines that are parallel by data share experts.
bool collects(const Situation& situation);

}  // namespace terms
}  // namespace gpushape::estimate
