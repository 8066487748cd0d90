// What an engine would run with, after every default is taken: numbers only, ready for the terms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "domain/engine.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"
#include "estimate/adapter_slots.hpp"
#include "estimate/cache_layout.hpp"
#include "estimate/facts.hpp"
#include "estimate/ggml/offload.hpp"
#include "estimate/pipeline.hpp"
#include "estimate/training/training_plan.hpp"
#include "estimate/weights_layout.hpp"

namespace gpushape::estimate {

struct SharedFindings;

/// The arguments of an estimate, as they came.
struct Request {
  const domain::Model* model = nullptr;
  const domain::Workload* workload = nullptr;
  const domain::Engine* engine = nullptr;
  const domain::VisibleMemory* gpu = nullptr;  ///< nullptr for none
  SharedFindings* shared = nullptr;            ///< nullptr: nobody shares what is found
};

/// The tokens of a pool, for engines whose limits follow from them, and what they were counted for.
struct PoolTokens {
  double utilization = 0;
  std::optional<Bytes> given_pool;
  std::int64_t longest_request = 0;
  bool follows_request = false;  ///< states alone: their number, times the request's length
  std::int64_t tokens = 0;
};

/// The model that proposes tokens, on the stage that has the head.
struct PlannedDraft {
  const domain::Model* model = nullptr;  ///< nullptr: none
  WeightsLayout weights;
};

struct Plan {
  const domain::Model* model = nullptr;
  std::shared_ptr<const domain::Model> file_model = nullptr;  ///< where that is not the request's
  Facts facts;
  domain::Parallelism parallelism;
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  double utilization = 0;
  std::optional<Bytes> given_pool;
  bool enforce_eager = false;
  std::int64_t largest_graph = 0;  ///< sequences of it; 0: by the rule of the term
  /// Batches that are captured, ascending; empty: by the rule of the term.
  std::vector<std::int64_t> graph_batches = {};
  bool are_sequences_asked = false;    ///< `max_num_seqs` is no default
  std::int64_t sampled_sequences = 0;  ///< of the step that is sized; 0: max_num_seqs
  std::optional<std::int64_t> context_tokens;
  std::optional<std::int64_t> concurrency;
  const domain::InFlight* in_flight = nullptr;  ///< of the workload; nullptr for none
  std::int64_t common_prefix_tokens = 0;        ///< that sequences share in the cache
  std::int64_t longest_request = 0;  ///< tokens: the context, or all that the model takes
  std::int64_t image_tokens = 0;     ///< of the context, those of a request's images
  Spread multiprocessors;
  Bytes visible;  ///< of a GPU, as the engine sees it; none without one
  WeightsLayout weights;
  CacheGeometry cache;
  AdapterSlots adapters;
  PlannedDraft draft;
  TrainingPlan training;
  Bytes offloaded;  ///< of one GPU's weights, kept in host memory at most
  std::vector<Stage> stages;
  std::optional<PoolTokens> pool_tokens;  ///< counted once for many loads
  std::optional<double> default_share;    ///< so, too: the engine's own fraction
  /// Engines that plan buffers as llama.cpp does: what was decided, and what each device needs.
  std::optional<ggml::Offload> offload = std::nullopt;
  ggml::SlotLoad load;
  std::shared_ptr<const ggml::Needs> needs = nullptr;

  /// Of such a plan, what the stage's device needs: a GPU, or the host where there is none.
  [[nodiscard]] const ggml::DeviceNeeds& needs_of(const Stage& stage) const {
    return needs->devices[static_cast<std::size_t>(stage.index)];
  }
};

/// A plan together with the words for it.
struct ResolvedPlan {
  Plan plan;
  domain::ResolvedSettings settings;
  domain::Fact<domain::Quantization> quantization;
  domain::Fact<domain::KvCacheType> kv_cache_type;
  std::optional<domain::Training> training;  ///< of a trainer, with what it chose
  std::vector<std::string> notes;
};

/// What is wrong with the request whatever the engine: numbers that cannot be, a parallelism that
/// does not divide the model, a context above the model's, layers that are not modelled.
Diagnostics complaints_about(const Request& request);
/// The same in two parts: what context, concurrency and utilization are the cause of, and what is
/// wrong whatever they are.
Diagnostics complaints_about_load(const Request& request);
Diagnostics complaints_about_setting(const Request& request);

/// How the weights lie in memory when the engine turns 16-bit weights into a quantization of
/// `converted_while_loading` by itself; every other one is taken for a checkpoint of that format.
struct WeightsChoice {
  domain::Fact<domain::Quantization> quantization;
  WeightsLayout layout;
  /// The request's model with the types of a GGUF file that nobody has at hand; else nullptr.
  std::shared_ptr<const domain::Model> file_model = nullptr;
  std::vector<std::string> notes;
};
WeightsChoice choose_weights(const Request& request,
                             std::span<const domain::Quantization> converted_while_loading);
/// The type of entries that are kept as the model computes them.
domain::KvCacheType cache_type_of(domain::Quantization dtype);
domain::Fact<domain::KvCacheType> choose_kv_cache_type(const Request& request,
                                                       domain::Quantization dtype);
/// `plan` holds facts, parallelism and the weights' layout already.
CacheGeometry choose_cache_geometry(const Request& request, const Plan& plan,
                                    domain::KvCacheType type);
/// A precision that nobody asked for, and what tells it.
domain::Fact<domain::Quantization> precision_of(const domain::WeightFormat& stored,
                                                domain::Quantization quantization);
/// The 16- or 32-bit type that activations and everything unquantized have.
domain::Quantization dtype_of(const Request& request);

}  // namespace gpushape::estimate
