// What the public sources of published engine starts say and the records of them leave out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "calibrate/engine_start.hpp"

namespace gpushape::example {

struct SourceSettings {
  std::string_view id;
  std::int64_t adapter_rank;
  std::int64_t max_num_seqs;
  std::int64_t max_num_batched_tokens;
  double utilization;  ///< to four digits, where the engine prints two
  double gpu_total_gib;
};
// Notebooks of https://github.com/unslothai/notebooks (lora_rank, "Num Sequences", "Chunked prefill
// tokens", "actual GPU utilization", "VRAM").
inline constexpr auto kSourceSettings = std::to_array<SourceSettings>({
    {"repo-unslothai-notebooks-2a323e", 32, 160, 1024, 0.5943, 14.74},
    {"repo-unslothai-notebooks-2fe43f", 32, 224, 2048, 0.8662, 22.16},
    {"repo-unslothai-notebooks-588d72", 32, 288, 2048, 0.8662, 22.16},
    {"repo-unslothai-notebooks-85b21e", 64, 320, 2048, 0.7908, 39.56},
    {"repo-unslothai-notebooks-d48341", 64, 192, 1024, 0.4966, 14.74},
    {"repo-unslothai-notebooks-dd816e", 16, 128, 512, 0.6952, 14.74},
});

/// Whose checkpoint it was, where the record names the model alone.
struct SourceModel {
  std::string_view id;
  std::string_view model;
};
inline constexpr auto kSourceModels = std::to_array<SourceModel>({
    // https://ai-muninn.com/en/blog/dgx-spark-gemma4-26b-nvfp4-52-toks
    {"vllm-gemma4-26b-a4b-nvfp4-gb10-131k", "bg-digitalservices/Gemma-4-26B-A4B-it-NVFP4"},
});

inline void complete(calibrate::EngineStart& start) {
  const auto* const model = std::ranges::find(kSourceModels, start.id, &SourceModel::id);
  if (model != kSourceModels.end()) start.model = model->model;
  const auto* const settings = std::ranges::find(kSourceSettings, start.id, &SourceSettings::id);
  if (settings == kSourceSettings.end()) return;
  start.adapter_rank = settings->adapter_rank;
  if (!start.max_num_seqs) start.max_num_seqs = settings->max_num_seqs;
  if (!start.max_num_batched_tokens)
    start.max_num_batched_tokens = settings->max_num_batched_tokens;
  start.utilization = settings->utilization;
  if (!start.gpu_total_gib) start.gpu_total_gib = settings->gpu_total_gib;
  start.is_library = true;
}

}  // namespace gpushape::example
