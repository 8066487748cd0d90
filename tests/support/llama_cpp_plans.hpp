// Built-in models sized for llama.cpp: a file's type, a cache type, a context, GPUs and the layers
// on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

struct LlamaCase {
  std::string model;
  std::string file_type;
  std::string cache_type = "fp16";
  std::int64_t context = 4096;
  std::int64_t slots = 1;
  std::string version = "0.5";
  std::int64_t gpus = 0;
  std::int64_t gpu_layers = 10'000;
  std::int64_t micro_batch = 0;  ///< 0: the build's own
  std::string value_type = {};   ///< empty: as keys
};

inline Result<domain::Estimate> planned(const LlamaCase& asked) {
  const domain::Model model = *built_in_catalog().find(asked.model);
  const domain::Engine engine = *built_in_catalog().engine("llama.cpp");
  domain::Workload workload;
  workload.engine.engine = flag(std::string("llama.cpp"));
  workload.engine.version = flag(*domain::engine_version(asked.version));
  if (!asked.file_type.empty())
    workload.quantization = flag(*catalog::parse_quantization(asked.file_type));
  workload.kv_cache_type = flag(*catalog::parse_kv_cache_type(asked.cache_type));
  workload.context_tokens = flag(asked.context);
  workload.concurrency = flag(asked.slots);
  if (!asked.value_type.empty())
    workload.engine.value_cache_type = flag(*catalog::parse_kv_cache_type(asked.value_type));
  if (asked.micro_batch > 0) workload.engine.max_num_batched_tokens = flag(asked.micro_batch);
  if (asked.gpus > 0) workload.engine.gpu_layers = flag(asked.gpu_layers);
  if (asked.gpus > 1) workload.engine.pipeline = flag(asked.gpus);
  std::optional<domain::VisibleMemory> gpu;
  if (asked.gpus > 0) gpu.emplace().bytes = domain::exactly(gib(48));
  return estimate::estimate_memory(model, workload, engine, gpu);
}

inline std::int64_t bytes_of(const domain::Estimate& estimate, std::string_view term) {
  for (const domain::Term& one : estimate.terms) {
    if (one.name == term) return one.bytes.expected.count();
  }
  return 0;
}

/// As logs print: MiB with two decimals.
inline double mib_of(const domain::Estimate& estimate, std::string_view term) {
  return static_cast<double>(bytes_of(estimate, term)) / (1024.0 * 1024.0);
}

}  // namespace gpushape::example
