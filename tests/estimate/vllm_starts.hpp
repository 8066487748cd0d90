// Starts of vLLM on a GPU, with models of the catalog, to hold against what published ones print.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/asked_engines.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

inline domain::VisibleMemory gpu_of(const char* device, const char* product, Bytes bytes,
                                    const char* compute_capability) {
  domain::VisibleMemory gpu = h100();
  gpu.device = device;
  gpu.product_name = product;
  gpu.bytes = domain::exactly(bytes);
  gpu.parent_bytes = bytes;
  gpu.compute_capability = compute_capability;
  return gpu;
}

inline domain::VisibleMemory b200() {
  return gpu_of("b200-sxm-180", "NVIDIA B200", gib(178), "10.0");
}

inline domain::Estimate estimate_of(const std::string& name, const domain::Workload& workload,
                                    const domain::VisibleMemory& gpu) {
  const Result<domain::Model> model = built_in_catalog().find_name(name);
  REQUIRE(model);
  const Result<domain::Engine> engine = built_in_catalog().engine("vllm");
  REQUIRE(engine);
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*model, workload, *engine, gpu);
  REQUIRE(estimate);
  return *estimate;
}

inline domain::Workload workload_by(domain::EngineVersion version,
                                    std::optional<bool> prefix_caching = {}) {
  domain::Workload asked = workload(8192, 1);
  asked.engine.version = flag(version);
  if (prefix_caching) asked.engine.prefix_caching = flag(*prefix_caching);
  return asked;
}

inline domain::Estimate estimate_of(const std::string& name, domain::EngineVersion version,
                                    const domain::VisibleMemory& gpu,
                                    std::optional<bool> prefix_caching = {}) {
  return estimate_of(name, workload_by(version, prefix_caching), gpu);
}

}  // namespace gpushape::example
