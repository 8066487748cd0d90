// How a model is trained or fine-tuned: what changes, in which precision, and how the state is
// shared by the GPUs. Facts of the role `fine-tune`; a server takes no notice of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/name_table.hpp"
#include "domain/adapter.hpp"
#include "domain/fact.hpp"

namespace gpushape::domain {

/// What is trained.
enum class TrainingMethod { Full, Lora, Qlora };
enum class Optimizer {
  AdamW,
  AdamW8bit,
  PagedAdamW8bit,
  Sgd,
  SgdMomentum,
  Adafactor,
  Lion,
  Lion8bit,
  Muon
};
/// In which types weights, gradients and optimizer states are held.
enum class TrainingPrecision { Mixed, Autocast, Bf16, Fp32 };
/// What of the activations is kept for the backward pass.
enum class Checkpointing { None, Selective, Full };
/// How the loss is computed from the last hidden states.
enum class LossKernel { Standard, Chunked, Fused };

struct Training {
  Fact<TrainingMethod> method = defaulted(TrainingMethod::Lora);
  Fact<Optimizer> optimizer = defaulted(Optimizer::AdamW);
  Fact<TrainingPrecision> precision = defaulted(TrainingPrecision::Mixed);
  Fact<Checkpointing> checkpointing = defaulted(Checkpointing::Full);
  Fact<LossKernel> loss = defaulted(LossKernel::Standard);
  Fact<std::int64_t> micro_batch = defaulted<std::int64_t>(1);  ///< sequences of one pass of a GPU
  Fact<std::int64_t> gradient_accumulation = defaulted<std::int64_t>(1);  ///< passes of one step
  /// 0 to 3, as in ZeRO; FSDP's full sharding is 3, its sharding of gradients and states 2. Empty:
  /// 3 where several GPUs share the data, else 0.
  std::optional<Fact<std::int64_t>> zero_stage;
  Fact<bool> sequence_parallel = defaulted(false);      ///< beside tensor parallelism
  Fact<bool> flash_attention = defaulted(true);         ///< or another kernel that keeps no scores
  Fact<bool> optimizer_offload = defaulted(false);      ///< its states lie in host memory
  Fact<bool> optimizer_in_backward = defaulted(false);  ///< steps as soon as a gradient is there

  bool operator==(const Training&) const = default;
};

/// One of them as it is shown.
struct TrainingFact {
  std::string name;
  std::string value;
  Origin origin = Origin::Default;
  std::string from;
  std::string flag;
};
/// Those that change the memory of this run, in the order in which they are shown.
std::vector<TrainingFact> facts_of(const Training& training,
                                   const std::optional<Adapters>& adapters);

}  // namespace gpushape::domain

namespace gpushape {
template <>
inline constexpr auto kNames<domain::TrainingMethod> =
    std::to_array<NameRow<domain::TrainingMethod>>({
        {domain::TrainingMethod::Full, "full", "every weight"},
        {domain::TrainingMethod::Lora, "lora", "adapters on frozen 16-bit weights"},
        {domain::TrainingMethod::Qlora, "qlora", "adapters on frozen 4-bit weights"},
    });
template <>
inline constexpr auto kNames<domain::Optimizer> = std::to_array<NameRow<domain::Optimizer>>({
    {domain::Optimizer::AdamW, "adamw", "two moments for each weight"},
    {domain::Optimizer::AdamW8bit, "adamw-8bit", "two moments of 8 bits"},
    {domain::Optimizer::PagedAdamW8bit, "paged-adamw-8bit",
     "two moments of 8 bits, in memory that the driver may page out"},
    {domain::Optimizer::Sgd, "sgd", "no state"},
    {domain::Optimizer::SgdMomentum, "sgd-momentum", "one moment"},
    {domain::Optimizer::Adafactor, "adafactor", "a row and a column for each matrix"},
    {domain::Optimizer::Lion, "lion", "one moment"},
    {domain::Optimizer::Lion8bit, "lion-8bit", "one moment of 8 bits"},
    {domain::Optimizer::Muon, "muon", "one moment for matrices, two for the rest"},
});
template <>
inline constexpr auto kNames<domain::TrainingPrecision> =
    std::to_array<NameRow<domain::TrainingPrecision>>({
        {domain::TrainingPrecision::Mixed, "mixed",
         "16-bit weights and gradients, 32-bit master weights and states (DeepSpeed, Megatron)"},
        {domain::TrainingPrecision::Autocast, "autocast",
         "32-bit weights, gradients and states, 16-bit arithmetic (torch.autocast, FSDP)"},
        {domain::TrainingPrecision::Bf16, "bf16", "16 bits throughout"},
        {domain::TrainingPrecision::Fp32, "fp32", "32 bits throughout"},
    });
template <>
inline constexpr auto kNames<domain::Checkpointing> =
    std::to_array<NameRow<domain::Checkpointing>>({
        {domain::Checkpointing::None, "none", "every activation is kept"},
        {domain::Checkpointing::Selective, "selective",
         "results of matrix products and attention are kept, the rest is computed again"},
        {domain::Checkpointing::Full, "full", "only the input of each layer is kept"},
    });
template <>
inline constexpr auto kNames<domain::LossKernel> = std::to_array<NameRow<domain::LossKernel>>({
    {domain::LossKernel::Standard, "standard", "all logits at once, in 32 bits"},
    {domain::LossKernel::Chunked, "chunked", "16-bit logits at once, 32 bits a chunk at a time"},
    {domain::LossKernel::Fused, "fused", "logits a chunk at a time, never all of them"},
});
}  // namespace gpushape
