// The memory of one GPU, term by term, with formula, inputs, source and honest bounds. Made by the
// room of the same name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/name_places.hpp"
#include "domain/fact.hpp"
#include "domain/range.hpp"
#include "domain/solution.hpp"
#include "domain/workload.hpp"

namespace gpushape::domain {

/// Where a term is summed: the split that text and JSON show.
enum class Part {
  Weights,
  Adapters,
  Draft,
  Gradients,
  Optimizer,
  KvCache,
  State,
  Activation,
  Graphs,
  Context,
  Communication
};

/// The name of a formula's input: a literal, since formulas are part of the program, never text
/// that somebody owns.
class Symbol {
 public:
  consteval Symbol(const char* name)  // NOLINT(google-explicit-constructor): a literal is a symbol
      : name_(name) {}
  constexpr explicit Symbol(NameKey key) : name_(key.name()) {}

  constexpr operator std::string_view() const {  // NOLINT(google-explicit-constructor)
    return name_;
  }
  constexpr bool operator==(std::string_view other) const { return name_ == other; }

 private:
  std::string_view name_;
};

/// One named input of a formula, in the order the formula names them.
struct Input {
  Symbol name;
  std::variant<std::int64_t, double, std::string> value;

  bool operator==(const Input&) const = default;
};

struct Term {
  std::string name;  ///< "weights", "kvCache", "sampler" …
  Part part = Part::Weights;
  Range bytes;
  std::string formula;  ///< symbols are the names of `inputs`
  std::vector<Input> inputs;
  std::string source;

  bool operator==(const Term&) const = default;
};

/// The memory that an engine finds: a whole device, a vGPU guest, a MIG instance, or a total the
/// user stated.
struct VisibleMemory {
  std::string device;   ///< device id; empty when only a total was given
  std::string profile;  ///< short profile name; empty for the whole device
  Range bytes;          ///< what the CUDA runtime reports
  std::string source;
  Bytes parent_bytes;  ///< what NVML reports for the device by index (batch defaults look here,
                       ///< also inside MIG)
  bool is_mig = false;
  std::string vendor;
  std::string product_name;  ///< as NVML names it: batch defaults look for "a100"
  std::string compute_capability;
  std::optional<std::int64_t> multiprocessors;
  /// Of `bytes`, what processes can take: a vGPU guest counts its reservation in the total. An
  /// engine that asks for utilization x total above this refuses to start. Empty: all of it.
  std::optional<Bytes> takeable_bytes = std::nullopt;
  /// Of `bytes`, what there is under Linux; the most of them is what WSL shows. Empty: no matter.
  std::optional<Range> under_linux = std::nullopt;
  /// What a start found free once its context and its communicators stood, where it printed that.
  std::optional<Range> free_bytes = std::nullopt;

  bool operator==(const VisibleMemory&) const = default;
};

enum class FitsAt { High, Expected, None };

/// What a process takes that its engine does not count in its share of the GPU, and what the share
/// leaves for it, where that is tightest.
struct BesideShare {
  Range needed_bytes;
  Range left_bytes;  ///< below zero where the share itself is more than can be taken

  bool operator==(const BesideShare&) const = default;
};

struct Capacity {
  std::string gpu;
  std::string profile;  ///< empty: the whole device
  Range visible_bytes;
  double utilization = 0;
  Range kv_pool_bytes;  ///< what the engine would report as left for the KV cache, on the GPU with
                        ///< least
  /// Of names of terms; empty where an engine's plan is not put so.
  std::string kv_pool_formula;
  std::string kv_pool_source;  ///< of what no term explains
  /// What a vGPU's manager keeps, where the engine takes it for its own use.
  Bytes kept_counted;
  /// Of the engine's share, what it sets aside for graphs before it sizes the pool.
  Range graphs_counted;
  std::int64_t kv_pool_tokens =
      0;  ///< the count the engine of that version would print for the expected pool
  /// That count is of requests of the longest context that the pool holds, not of its blocks.
  bool counts_requests = false;
  double max_concurrency_at_context = 0;
  std::optional<BesideShare> beside_share;  ///< of engines that take a share of the GPU first
  bool fits = false;                        ///< at the high end of the range
  FitsAt fits_at = FitsAt::None;

  bool operator==(const Capacity&) const = default;
};

/// What one GPU of a pipeline's stage holds, at the expected value.
struct StageHolding {
  std::int64_t layers = 0;
  Bytes weights;
  Bytes total;

  bool operator==(const StageHolding&) const = default;
};

/// What all GPUs of one instance hold together.
struct AllGpus {
  std::int64_t gpus = 1;
  Bytes weights;
  Bytes copies;  ///< of the weights: what stands on more than one GPU, counted without the first
  Bytes total;   ///< at the expected value
  std::vector<StageHolding> stages;  ///< of a pipeline, in their order; none without one

  bool operator==(const AllGpus&) const = default;
};

/// An engine setting after defaults: what the engine would run with.
struct ResolvedSettings {
  Fact<EngineVersion> version;
  Fact<std::int64_t> max_num_seqs;
  Fact<std::int64_t> max_num_batched_tokens;
  Fact<double> gpu_memory_utilization;

  bool operator==(const ResolvedSettings&) const = default;
};

struct Estimate {
  std::string model_id;  ///< empty where the demand was declared without a model
  std::string model_source;
  std::string model_base;  ///< Model::base; empty where the model has an entry or a file of its own
  std::string model_asked_as;  ///< Model::asked_as
  ParameterCounts parameters;
  Fact<Quantization> quantization;
  /// Only the format is told, by a name or a flag: which layers stay in 16 bits, how large groups
  /// are and whether they have zero points is the publisher's recipe.
  bool has_open_recipe = false;
  Fact<KvCacheType> kv_cache_type;
  std::optional<Fact<std::int64_t>> context_tokens;
  std::optional<Fact<std::int64_t>> concurrency;
  /// Of one of several engines that are parallel by data; empty where there is one.
  std::optional<std::int64_t> concurrency_of_rank;
  Fact<std::string> engine;
  ResolvedSettings settings;
  Parallelism parallelism;
  std::vector<Term> terms;  ///< the parts' sums are sums of terms
  /// What the engine reads of memory outside its framework holds its context and communicators.
  bool counts_context = false;
  Range total_bytes;         ///< of one GPU; not the naive sum where terms are independent
  Bytes kv_bytes_per_token;  ///< of one GPU, all its layers
  std::optional<Capacity> capacity;
  std::optional<AllGpus> all_gpus;     ///< where there is more than one
  Bytes host_bytes;                    ///< of all GPUs: what lies in pinned host memory instead
  std::vector<Term> host_terms;        ///< what it is made of
  std::optional<Training> training;    ///< of a training run, with what was chosen for it
  std::optional<Adapters> adapters;    ///< served, or trained
  std::optional<CacheDemand> traffic;  ///< where the traffic is known as more than a ceiling
  std::optional<Solution> solution;
  std::vector<std::string> notes;  ///< version not known, wide interval, …

  bool operator==(const Estimate&) const = default;
};

/// Weights and what stands beside them whatever the traffic: adapters, draft model, gradients and
/// optimizer states.
inline constexpr std::array kResidentParts = {Part::Weights, Part::Adapters, Part::Draft,
                                              Part::Gradients, Part::Optimizer};

/// The estimate is one of a training run, which keeps gradients and no cache.
inline bool is_training(const Estimate& estimate) { return estimate.training.has_value(); }

/// The sum of the terms of one part; exactly(0 bytes) where there is none.
Range part_bytes(const Estimate& estimate, Part part);

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::Part> = std::to_array<NameRow<domain::Part>>({
    {domain::Part::Weights, "weights", "parameters as the engine holds them"},
    {domain::Part::Adapters, "adapter", "slots for adapters, or the adapters that are trained"},
    {domain::Part::Draft, "draft", "weights of the model that proposes tokens"},
    {domain::Part::Gradients, "gradient", "gradients of what is trained"},
    {domain::Part::Optimizer, "optimizer", "states of the optimizer and master weights"},
    {domain::Part::KvCache, "kvCache", "keys and values of the tokens in flight"},
    {domain::Part::State, "state", "recurrent state of the sequences in flight"},
    {domain::Part::Activation, "activation", "the largest forward or sampler peak"},
    {domain::Part::Graphs, "graph", "captured CUDA graphs"},
    {domain::Part::Context, "context",
     "CUDA context and buffers outside the framework's allocator"},
    {domain::Part::Communication, "communication", "collective communication buffers"},
});
template <>
inline constexpr auto kNames<domain::FitsAt> = std::to_array<NameRow<domain::FitsAt>>({
    {domain::FitsAt::High, "high", "fits even at the high end of the range"},
    {domain::FitsAt::Expected, "expected", "fits at the expected value only"},
    {domain::FitsAt::None, "none", "does not fit"},
});
}  // namespace gpushape
