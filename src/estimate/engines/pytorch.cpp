// A PyTorch trainer (transformers, TRL, PEFT, DeepSpeed, FSDP, torchtune): weights, gradients and
// optimizer states stay, activations come and go with every step. It asks for nothing in advance:
// it fits while the sum of all terms does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "estimate/engines.hpp"
#include "estimate/engines/common_terms.hpp"
#include "estimate/plan_parts.hpp"
#include "estimate/training/training_terms.hpp"

namespace gpushape::estimate::engines {
namespace {

using domain::Fact;
using domain::Origin;
using domain::Part;
using domain::Quantization;
using domain::TrainingMethod;

constexpr auto kPytorchTerms = std::to_array<EngineTerm>({
    {{"weights", Part::Weights, "the model's weights, trained or frozen", training::weights_bytes,
      training::describe_weights, terms::always, Follows::Plan},
     Budget::Beside},
    {{"adapters", Part::Adapters, "adapters that are trained", training::adapters_bytes,
      training::describe_adapters, training::trains_adapters, Follows::Plan},
     Budget::Beside},
    {{"gradients", Part::Gradients, "gradients of what is trained", training::gradients_bytes,
      training::describe_gradients, terms::always, Follows::Plan},
     Budget::Beside},
    {{"optimizer", Part::Optimizer, "optimizer states and master weights",
      training::optimizer_bytes, training::describe_optimizer, training::keeps_states,
      Follows::Plan},
     Budget::Beside},
    {{"activation", Part::Activation, "activations of a step and its loss",
      training::activation_bytes, training::describe_activation, terms::always},
     Budget::Beside},
    {{"fragmentation", Part::Context, "what the allocator cannot hand out again",
      training::fragmentation_bytes, training::describe_fragmentation, terms::always},
     Budget::Beside},
    {kNonTorch, Budget::Beside},
    {kCudaContext, Budget::Beside},
    {where(kCommunicators, training::several_gpus), Budget::Beside},
    {{"buffers", Part::Communication, "weights and gradients that GPUs exchange",
      training::buffers_bytes, training::describe_buffers, training::shares_data, Follows::Plan},
     Budget::Beside},
});

// Sequences of a fine-tuning run where nobody says ("ours": the usual length of instruction data,
// TRL's SFTConfig takes 1,024).
constexpr std::int64_t kUsualSequence = 2048;

std::int64_t sequence_of(const Request& request) {
  if (request.workload->context_tokens) return request.workload->context_tokens->value;
  const std::int64_t most = request.model->max_context_tokens;
  return most > 0 ? std::min(most, kUsualSequence) : kUsualSequence;
}

TrainingPlan training_of(const Request& request, const domain::Parallelism& split) {
  const domain::Training& asked = request.workload->training;
  TrainingPlan run;
  run.is_training = true;
  run.method = asked.method.value;
  run.optimizer = asked.optimizer.value;
  run.precision = asked.precision.value;
  run.checkpointing = asked.checkpointing.value;
  run.loss = asked.loss.value;
  run.micro_batch = asked.micro_batch.value;
  run.accumulation = asked.gradient_accumulation.value;
  run.ranks = split.data;
  constexpr std::int64_t kFullSharding = 3;
  run.zero_stage =
      asked.zero_stage ? asked.zero_stage->value : (split.data > 1 ? kFullSharding : 0);
  run.sequence_parallel = asked.sequence_parallel.value;
  run.flash_attention = asked.flash_attention.value;
  run.offloads_optimizer = asked.optimizer_offload.value;
  run.steps_in_backward = asked.optimizer_in_backward.value;
  return run;
}

Fact<Quantization> quantization_of(const Request& request, const TrainingPlan& run) {
  if (run.method == TrainingMethod::Qlora)
    return {Quantization::BnbNf4Double, Origin::Computed, "--method qlora"};
  const auto& asked = request.workload->quantization;
  const bool is_plain =
      asked && domain::scheme(asked->value).granularity == domain::ScaleGranularity::None;
  if (is_plain) return *asked;
  constexpr std::int64_t kFloat = 4;
  return {run.weight_bytes() == kFloat ? Quantization::Fp32 : Quantization::Bf16, Origin::Computed,
          "the training precision"};
}

WeightsLayout layout_of(const Fact<Quantization>& quantization, const TrainingPlan& run,
                        const domain::Parallelism& split) {
  WeightsLayout layout;
  layout.scheme = domain::scheme(quantization.value);
  layout.dtype_bytes = run.weight_bytes();
  layout.tensor_parallel = split.tensor;
  layout.expert_parallel = split.expert;
  layout.vocabulary_unit = 1;
  layout.splits_latents = false;
  return layout;
}

AdapterSlots adapters_of(const Request& request, const TrainingPlan& run) {
  AdapterSlots slots;
  if (!run.has_adapters()) return slots;
  const domain::Adapters adapters = request.workload->adapters.value_or(domain::Adapters{});
  slots.count = 1;
  slots.rank = adapters.rank.value;
  slots.modules = adapters.modules.value;
  slots.has_experts = true;
  return slots;
}

void note_defaults(const Request& request, const TrainingPlan& run,
                   std::vector<std::string>& notes) {
  if (!request.workload->context_tokens) {
    notes.push_back(
        fmt::format("sequences of {} tokens are assumed: --context says otherwise", run.sequence));
  }
  if (request.workload->quantization && run.method != TrainingMethod::Full &&
      domain::scheme(request.workload->quantization->value).granularity !=
          domain::ScaleGranularity::None) {
    notes.emplace_back(
        "the frozen weights follow --method: qlora holds them in nf4, lora in 16 "
        "bits; --quant is not looked at");
  }
  if (run.optimizer == domain::Optimizer::PagedAdamW8bit)
    notes.emplace_back("paged states count at the high end only: they leave when room is wanted");
}

}  // namespace

std::span<const EngineTerm> pytorch_terms() { return kPytorchTerms; }

void settle_pytorch(const Request& request, Plan& plan) {
  plan.training.sequence = sequence_of(request);
  plan.longest_request = plan.training.sequence;
  plan.context_tokens = plan.training.sequence;
  plan.max_num_batched_tokens = plan.training.sequence * plan.training.micro_batch;
}

Result<ResolvedPlan> plan_pytorch(const Request& request) {
  const domain::Workload& workload = *request.workload;
  const VersionChoice version = choose_version(request);
  ResolvedPlan resolved;
  Plan& plan = resolved.plan;
  plan.model = request.model;
  plan.parallelism = {.tensor = value_or_one(workload.engine.tensor),
                      .pipeline = value_or_one(workload.engine.pipeline),
                      .data = value_or_one(workload.engine.data),
                      .expert = value_or_one(workload.engine.expert)};
  plan.training = training_of(request, plan.parallelism);
  plan.facts = Facts(*request.engine, version.facts_of, conditions_of(request));
  constexpr std::array<NameKey, 2> kNeeded = {"activationRatio", "lossBytesStandard"};
  if (Diagnostics missing = missing_facts(request, plan, version.facts_of, kNeeded);
      !missing.empty())
    return failure(std::move(missing));
  resolved.quantization = quantization_of(request, plan.training);
  resolved.kv_cache_type = {domain::KvCacheType::Bf16, Origin::Computed, "training keeps no cache"};
  if (!version.note.empty()) resolved.notes.push_back(version.note);
  plan.weights = layout_of(resolved.quantization, plan.training, plan.parallelism);
  plan.adapters = adapters_of(request, plan.training);
  plan.concurrency = plan.training.micro_batch;
  plan.max_num_seqs = plan.training.micro_batch;
  plan.utilization = 1;
  settle_pytorch(request, plan);
  plan.stages = cut_into_stages(layer_count(*request.model), plan.parallelism.pipeline,
                                Remainder::NextToLast);
  resolved.settings = {
      .version = version.version,
      .max_num_seqs = {plan.max_num_seqs, workload.training.micro_batch.origin,
                       workload.training.micro_batch.from},
      .max_num_batched_tokens = {plan.max_num_batched_tokens, Origin::Computed,
                                 "sequences x their length"},
      .gpu_memory_utilization = {1.0, Origin::Computed, "a trainer takes what it needs"}};
  resolved.training = workload.training;
  if (!workload.training.zero_stage) {
    resolved.training->zero_stage = Fact<std::int64_t>{
        plan.training.zero_stage, Origin::Default,
        plan.training.ranks > 1 ? "several GPUs share the data" : "one GPU has all the data"};
  }
  note_defaults(request, plan.training, resolved.notes);
  return resolved;
}

domain::Capacity pytorch_capacity(const Plan& /*plan*/, std::span<const StageFigures> stages,
                                  const domain::VisibleMemory& gpu,
                                  std::vector<std::string>* /*notes*/) {
  domain::Capacity capacity;
  capacity.visible_bytes = gpu.bytes;
  capacity.utilization = 1;
  const Bytes free_expected = gpu.takeable_bytes.value_or(gpu.bytes.expected);
  const Bytes free_least = gpu.takeable_bytes.value_or(gpu.bytes.low);
  const bool at_expected = std::ranges::all_of(
      stages, [&](const StageFigures& stage) { return stage.total.expected <= free_expected; });
  const bool at_high = std::ranges::all_of(
      stages, [&](const StageFigures& stage) { return stage.total.high <= free_least; });
  capacity.fits = at_expected && at_high;
  if (at_expected) capacity.fits_at = at_high ? domain::FitsAt::High : domain::FitsAt::Expected;
  return capacity;
}

Bytes pytorch_host_bytes(const Plan& plan, const StageFigures& stage) {
  if (!plan.training.offloads_optimizer) return {};
  return to_range(training::states_bytes(stage.situation)).expected;
}

}  // namespace gpushape::estimate::engines
