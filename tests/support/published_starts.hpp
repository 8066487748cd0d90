// What vLLM 0.19.0 printed on H100 80GB. The first figures come from the start-up logs published
// with https://github.com/llm-d-incubation/llm-d-planner/pull/205.
#pragma once

#include <array>
#include <cstdint>

#include "calibrate/engine_start.hpp"

namespace gpushape::example {

struct PublishedStart {
  const char* model;
  const char* dtype;
  const char* quantization;
  const char* kv_cache_type;
  std::int64_t tensor_parallel;
  std::int64_t pipeline_parallel;
  double weights_gib;
  double pool_gib;
  std::int64_t tokens;
  double pool_tolerance;
};

/// What all starts of the series have in common.
inline calibrate::EngineStart series_start(const char* model, std::int64_t tensor_parallel) {
  calibrate::EngineStart start;
  start.id = model;
  start.engine = "vllm";
  start.engine_version = "0.19.0";
  start.model = model;
  start.gpu = "H100 80GB (SXM)";
  start.gpu_total_gib = 79.19;
  start.tensor_parallel = tensor_parallel;
  start.context_tokens = 8192;
  start.max_num_batched_tokens = 8192;
  start.utilization = 0.95;
  return start;
}

inline calibrate::EngineStart start_of(const PublishedStart& row) {
  calibrate::EngineStart start = series_start(row.model, row.tensor_parallel);
  start.pipeline_parallel = row.pipeline_parallel;
  start.dtype = row.dtype;
  start.quantization = row.quantization;
  start.kv_cache_type = row.kv_cache_type;
  start.weights_gib = row.weights_gib;
  start.pool_gib = row.pool_gib;
  start.pool_tokens = row.tokens;
  return start;
}

inline constexpr auto kPublishedStarts = std::to_array<PublishedStart>({
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 1, 1, 14.99, 58.11, 476016, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "bfloat16", "", "fp8", 1, 1, 14.99, 58.11, 952032, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "fp8", "auto", 1, 1, 8.49, 64.61, 529248, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "float32", "", "auto", 1, 1, 29.98, 42.80, 175296, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 4, 1, 3.77, 67.44, 2209792, 0.005},
    {"meta-llama/Llama-3.1-8B-Instruct", "auto", "", "auto", 1, 4, 4.26, 68.89, 2257264, 0.03},
    {"codellama/CodeLlama-7b-hf", "auto", "", "auto", 1, 1, 12.56, 61.66, 126256, 0.005},
    {"moonshotai/Kimi-Dev-72B", "auto", "", "auto", 2, 1, 67.82, 3.02, 19776, 0.02},
    {"RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic", "auto", "", "auto", 4, 1, 16.96, 54.09, 708992,
     0.005},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "float16", "", "auto", 1, 1, 5.38,
     67.71, 554704, 0.005},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "float16", "", "auto", 1, 1, 8.49, 64.60,
     529200, 0.005},
    // Mistral's own format, whose class holds the whole encoder on every rank; experts without
    // shared ones; local memory of Granite's kernels. From the same series
    // (https://github.com/jgchn/llm-d-planner accuracy/results/v0.19.0).
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503", "auto", "", "auto", 2, 1, 22.80, 48.33,
     633408, 0.005},
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503", "auto", "", "auto", 4, 1, 11.86, 59.18,
     1551344, 0.005},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1", "auto", "", "auto", 2, 1, 43.51, 28.44, 465936, 0.005},
    {"Qwen/Qwen3-30B-A3B", "auto", "", "auto", 1, 1, 56.88, 15.41, 168288, 0.005},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "auto", "", "auto", 4, 1, 53.12, 16.75, 365968,
     0.005},
    {"ibm-granite/granite-3.1-8b-instruct", "auto", "", "auto", 1, 1, 15.25, 58.66, 384432, 0.005},
});

}  // namespace gpushape::example
