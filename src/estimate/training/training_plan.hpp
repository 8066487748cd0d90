// What a training run does on each GPU, as numbers. Beside the plan of every engine; only trainers
// fill it.
#pragma once

#include <cstdint>

#include "domain/training.hpp"

namespace gpushape::estimate {

struct TrainingPlan {
  bool is_training = false;
  domain::TrainingMethod method = domain::TrainingMethod::Full;
  domain::Optimizer optimizer = domain::Optimizer::AdamW;
  domain::TrainingPrecision precision = domain::TrainingPrecision::Mixed;
  domain::Checkpointing checkpointing = domain::Checkpointing::Full;
  domain::LossKernel loss = domain::LossKernel::Standard;
  std::int64_t sequence = 0;      ///< tokens
  std::int64_t micro_batch = 1;   ///< sequences
  std::int64_t accumulation = 1;  ///< passes of one step
  std::int64_t zero_stage = 0;
  std::int64_t ranks = 1;  ///< that the data is dealt out to
  bool sequence_parallel = false;
  bool flash_attention = true;
  bool offloads_optimizer = false;
  bool steps_in_backward = false;

  [[nodiscard]] bool has_adapters() const { return method != domain::TrainingMethod::Full; }
  [[nodiscard]] double tokens() const {
    return static_cast<double>(sequence) * static_cast<double>(micro_batch);
  }
  /// Ranks that share what is dealt out from this stage of ZeRO on.
  [[nodiscard]] double sharers(std::int64_t from_stage) const {
    return zero_stage >= from_stage ? static_cast<double>(ranks) : 1;
  }
  /// Bytes of one weight of the base model that no 4-bit scheme holds.
  [[nodiscard]] std::int64_t weight_bytes() const;
  /// Bytes of one weight that is trained, beside a master copy.
  [[nodiscard]] std::int64_t trained_bytes() const;
  /// Bytes of one activation.
  [[nodiscard]] std::int64_t activation_bytes() const;

  bool operator==(const TrainingPlan&) const = default;
};

}  // namespace gpushape::estimate
