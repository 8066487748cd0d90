// Weights that vLLM printed ("Model loading took N GiB"), and those that it is estimated to take.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "catalog/quantization_names.hpp"
#include "domain/engine.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

struct PrintedWeights {
  std::string_view model;
  std::string_view version;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::string_view quantization = {};  ///< asked for; empty for the checkpoint's
  double gib = 0;
  bool is_on_amd = false;
  std::string_view capability = {};  ///< of NVIDIA's GPU; empty where it is not known
  std::int64_t batched_tokens = 0;   ///< 0 for what the engine takes
  std::int64_t draft_tokens = 0;
};

inline domain::Range weights_by_vllm(const PrintedWeights& row) {
  const Result<domain::Model> model = built_in_catalog().find_name(std::string(row.model));
  REQUIRE(model);
  const Result<domain::Engine> engine = built_in_catalog().engine("vllm");
  REQUIRE(engine);
  domain::Workload workload = example::workload(2048, 1);
  workload.engine.version = flag(*domain::engine_version(row.version));
  workload.engine.tensor = flag(row.tensor);
  workload.engine.pipeline = flag(row.pipeline);
  if (row.batched_tokens > 0) workload.engine.max_num_batched_tokens = flag(row.batched_tokens);
  if (row.draft_tokens > 0) workload.engine.draft_tokens = flag(row.draft_tokens);
  if (!row.quantization.empty())
    workload.quantization = flag(*catalog::parse_quantization(row.quantization));
  std::optional<domain::VisibleMemory> gpu;
  if (row.is_on_amd || !row.capability.empty()) {
    gpu.emplace();
    gpu->bytes = domain::exactly(gib(192));
    gpu->vendor = row.is_on_amd ? "amd" : "nvidia";
    gpu->compute_capability = row.capability;
  }
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return domain::part_bytes(*estimate, domain::Part::Weights);
}

inline void check_weights(const PrintedWeights& row, double tolerance) {
  CAPTURE(row.model);
  CAPTURE(row.version);
  CHECK(weights_by_vllm(row).expected.gib() == doctest::Approx(row.gib).epsilon(tolerance));
}

}  // namespace gpushape::example
