// The engines that an estimate knows: what each takes for defaults, which terms it has, which of
// them come off the memory it asks for, and what it would print. One file an engine in engines/,
// one row here.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/estimate.hpp"
#include "estimate/plan.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {

/// When a term is there for the engine's own memory reading.
enum class Budget {
  Profiled,  ///< measured, and taken off the share that the engine asks for
  Beside,    ///< not seen by the engine: must fit beside that share
  Before,    ///< there before the engine's first reading, of which it takes its share
  Graphs,    ///< profiled or beside, by version
  Adapters,  ///< so, too
  Context,   ///< so, too: there before the engine's first reading
  Pool,      ///< the KV cache itself
};

struct EngineTerm {
  TermRow row;
  Budget budget = Budget::Beside;
};

/// The figures of one stage, one per EngineTerm; a term that does not apply is zero.
struct StageFigures {
  Situation situation;
  std::vector<domain::Range> terms;
  domain::Range total;
};

/// What an engine's own fraction is one of.
enum class ShareOf {
  Total,       ///< of the GPU's total, what stands beside it has to fit into the rest
  FreeBefore,  ///< of what is free before loading: activations and graphs take the rest
  FreeAfter,   ///< of what is free once everything else has its memory
  Nothing,     ///< no memory is set aside
};

/// Names of families (domain::Model::family), separated by blanks, in lists that engines share.
using UnservedFamilies = std::array<std::string_view, 2>;

struct EngineRow {
  std::string_view name;
  std::string_view description;
  std::span<const EngineTerm> (*terms)();  ///< in display order
  Result<ResolvedPlan> (*plan)(const Request&);
  /// What the pool holds; the names of the GPU are filled in by the caller. `notes` is nullptr
  /// where nobody reads them: then no words are made.
  domain::Capacity (*capacity)(const Plan&, std::span<const StageFigures>,
                               const domain::VisibleMemory&, std::vector<std::string>* notes);
  /// Sets what of a plan follows from the workload's context, concurrency and utilization, in
  /// numbers: those three, longest_request, given_pool, the batch (max_num_seqs,
  /// max_num_batched_tokens, largest_graph, sampled_sequences, the sequences of the facts) and the
  /// cache's geometry; nothing else may change with them. A plan is made by it as well. nullptr:
  /// the whole plan is made anew for each.
  void (*settle)(const Request&, Plan&) = nullptr;
  ShareOf share = ShareOf::Total;
  /// A context above the model's own is served with a warning.
  bool takes_any_context = false;
  /// Families that it has no class for; an engine that runs the class that is published with a
  /// checkpoint has none.
  UnservedFamilies unserved = {};
};

std::span<const EngineRow> engine_rows();
/// nullptr for an engine that is not modelled.
const EngineRow* engine_row(std::string_view name);
/// Whether the engine has a class for models of `family` (domain::Model::family).
bool serves(const EngineRow& engine, std::string_view family);

namespace engines {

std::span<const EngineTerm> vllm_terms();
Result<ResolvedPlan> plan_vllm(const Request& request);
void settle_vllm(const Request& request, Plan& plan);
domain::Capacity vllm_capacity(const Plan& plan, std::span<const StageFigures> stages,
                               const domain::VisibleMemory& gpu, std::vector<std::string>* notes);

std::span<const EngineTerm> sglang_terms();
Result<ResolvedPlan> plan_sglang(const Request& request);
void settle_sglang(const Request& request, Plan& plan);
domain::Capacity sglang_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                 const domain::VisibleMemory& gpu, std::vector<std::string>* notes);
std::span<const EngineTerm> tensorrt_llm_terms();
Result<ResolvedPlan> plan_tensorrt_llm(const Request& request);
void settle_tensorrt_llm(const Request& request, Plan& plan);
domain::Capacity tensorrt_llm_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                       const domain::VisibleMemory& gpu,
                                       std::vector<std::string>* notes);

std::span<const EngineTerm> transformers_terms();
Result<ResolvedPlan> plan_transformers(const Request& request);
void settle_transformers(const Request& request, Plan& plan);
domain::Capacity transformers_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                       const domain::VisibleMemory& gpu,
                                       std::vector<std::string>* notes);
std::span<const EngineTerm> llama_cpp_terms();
Result<ResolvedPlan> plan_llama_cpp(const Request& request);
void settle_llama_cpp(const Request& request, Plan& plan);
domain::Capacity llama_cpp_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                    const domain::VisibleMemory& gpu,
                                    std::vector<std::string>* notes);

std::span<const EngineTerm> pytorch_terms();
Result<ResolvedPlan> plan_pytorch(const Request& request);
void settle_pytorch(const Request& request, Plan& plan);
domain::Capacity pytorch_capacity(const Plan& plan, std::span<const StageFigures> stages,
                                  const domain::VisibleMemory& gpu,
                                  std::vector<std::string>* notes);
/// What a trainer keeps in host memory for one GPU of a stage.
Bytes pytorch_host_bytes(const Plan& plan, const StageFigures& stage);

}  // namespace engines
}  // namespace gpushape::estimate
