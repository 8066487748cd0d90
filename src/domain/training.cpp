#include "domain/training.hpp"

#include <string>
#include <utility>

namespace gpushape::domain {
namespace {

std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(bool value) { return value ? "true" : "false"; }
template <class E>
  requires std::is_enum_v<E>
std::string text_of(E value) {
  return std::string(name_of(value));
}

}  // namespace

std::vector<TrainingFact> facts_of(const Training& training,
                                   const std::optional<Adapters>& adapters) {
  std::vector<TrainingFact> facts;
  const auto add = [&](const char* name, const auto& fact, const char* flag) {
    facts.push_back({name, text_of(fact.value), fact.origin, fact.from, flag});
  };
  add("method", training.method, "--method");
  if (training.method.value != TrainingMethod::Full) {
    const Adapters trained = adapters.value_or(Adapters{});
    add("adapterRank", trained.rank, "--lora rank=");
    add("adapterModules", trained.modules, "--lora modules=");
  }
  add("optimizer", training.optimizer, "--optimizer");
  add("trainingPrecision", training.precision, "--training-precision");
  add("checkpointing", training.checkpointing, "--checkpointing");
  add("loss", training.loss, "--loss");
  add("microBatch", training.micro_batch, "--micro-batch");
  add("gradientAccumulation", training.gradient_accumulation, "--gradient-accumulation");
  if (training.zero_stage) add("zeroStage", *training.zero_stage, "--zero-stage");
  if (training.sequence_parallel.value)
    add("sequenceParallel", training.sequence_parallel, "--sequence-parallel");
  if (!training.flash_attention.value)
    add("flashAttention", training.flash_attention, "--no-flash-attention");
  if (training.optimizer_offload.value)
    add("optimizerOffload", training.optimizer_offload, "--optimizer-offload");
  if (training.optimizer_in_backward.value)
    add("optimizerInBackward", training.optimizer_in_backward, "--optimizer-in-backward");
  return facts;
}

}  // namespace gpushape::domain
