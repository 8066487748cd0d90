#include "estimate/host_memory.hpp"

#include <algorithm>
#include <string_view>

#include "estimate/rank_tensors.hpp"
#include "estimate/terms.hpp"

namespace gpushape::estimate {
namespace {

using domain::Part;
using domain::Term;

Term held(std::string_view name, Part part, Bytes bytes) {
  Term term;
  term.name = name;
  term.part = part;
  term.bytes = domain::exactly(bytes);
  return term;
}

std::int64_t gpus_of_stage(const Plan& plan) {
  return plan.parallelism.tensor * plan.parallelism.data;
}

/// What is asked for is never more than the layers hold. Stages that are alike stand for each
/// other.
Term offloaded_weights(const Plan& plan, std::span<const StageFigures> stages) {
  Bytes sum;
  for (const Stage& stage : plan.stages) {
    const auto same = std::ranges::find_if(
        stages, [&](const StageFigures& figures) { return figures.situation.stage == stage; });
    sum +=
        terms::offloaded_bytes(same == stages.end() ? situation_of(plan, stage) : same->situation) *
        gpus_of_stage(plan);
  }
  Term term = held("offloadedWeights", Part::Weights, sum);
  term.formula = "min(offloadOfGpu, layerBytes), summed over the GPUs";
  term.inputs = {{"offloadOfGpu", plan.offloaded.count()},
                 {"gpus", gpus_of_stage(plan) * plan.parallelism.pipeline}};
  term.source =
      "vLLM config/offload.py, cpu_offload_gb (GiB of each GPU): parameters lie in pinned memory "
      "and kernels read them there (model_executor/offloader/uva.py), so that no GPU keeps a copy";
  return term;
}

/// What the GPUs of a plan that keeps the tables there would hold more.
Term lookup_tables(const Plan& plan) {
  WeightsLayout on_gpu = plan.weights;
  on_gpu.keeps_tables_on_host = false;
  Bytes sum;
  for (const Stage& stage : plan.stages) {
    const Bytes all = load_weights(*plan.model, on_gpu, stage).tensors;
    sum += (all - load_weights(*plan.model, plan.weights, stage).tensors) * gpus_of_stage(plan);
  }
  Term term = held("ngramTables", Part::Weights, sum);
  term.formula = "tableBytesOfGpu x gpus";
  const std::int64_t gpus = gpus_of_stage(plan) * plan.parallelism.pipeline;
  term.inputs = {{"tableBytesOfGpu", sum / Bytes(gpus)}, {"gpus", gpus}};
  term.source = plan.facts.source("ngramTablesOnHost");
  return term;
}

Term cache_tier(const domain::Workload& workload, const Plan& plan,
                std::span<const StageFigures> stages) {
  const Bytes bytes = workload.contract.kv_offload_bytes.value;
  // Ranks share the heads, stages the layers: a token is kept once by all of them.
  Bytes token;
  for (const StageFigures& stage : stages)
    token = std::max(token, stage.situation.cache.bytes_per_token());
  Term term = held("kvOffload", Part::KvCache, bytes);
  term.formula = "as asked for";
  term.inputs = {{"kvOffload", bytes.count()}};
  const Bytes all = token * (plan.parallelism.tensor * plan.parallelism.pipeline);
  if (all > Bytes(0)) {
    term.formula += "; it holds tokens = kvOffload / (bytesPerToken x gpus)";
    term.inputs.push_back({"tokens", bytes / all});
    term.inputs.push_back({"bytesPerToken", token.count()});
    term.inputs.push_back({"gpus", plan.parallelism.tensor * plan.parallelism.pipeline});
  }
  term.source =
      "vLLM config/cache.py, kv_offloading_size (GiB of all ranks together, pinned): a copy of "
      "blocks that later requests may find; blocks in use stay on the GPU, which keeps no buffer "
      "for it (v1/kv_offload/cpu/gpu_worker.py)";
  return term;
}

Term optimizer_states(const Plan& plan, std::span<const StageFigures> stages) {
  Bytes most;
  for (const StageFigures& stage : stages)
    most = std::max(most, engines::pytorch_host_bytes(plan, stage));
  const std::int64_t gpus = gpus_of_stage(plan) * plan.parallelism.pipeline;
  Term term = held("optimizer", Part::Optimizer, most * gpus);
  term.formula = "statesOfGpu x gpus";
  term.inputs = {{"statesOfGpu", most.count()}, {"gpus", gpus}};
  term.source = "DeepSpeed runtime/zero/offload_config.py (offload_optimizer)";
  return term;
}

}  // namespace

std::vector<Term> host_terms(const domain::Workload& workload, const Plan& plan,
                             std::span<const StageFigures> stages) {
  std::vector<Term> terms;
  if (plan.training.is_training) {
    terms.push_back(optimizer_states(plan, stages));
  } else {
    if (plan.offloaded > Bytes(0)) terms.push_back(offloaded_weights(plan, stages));
    if (plan.weights.keeps_tables_on_host && has_tables_in_layers(*plan.model))
      terms.push_back(lookup_tables(plan));
    if (workload.contract.kv_offload_bytes.value > Bytes(0))
      terms.push_back(cache_tier(workload, plan, stages));
  }
  std::erase_if(terms, [](const Term& term) { return term.bytes.expected == Bytes(0); });
  return terms;
}

}  // namespace gpushape::estimate
