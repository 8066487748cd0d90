// Built-in models sized for built-in engines, on GPUs of the totals that logs print.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

namespace gpushape::example {

inline domain::VisibleMemory printed_gpu(double total_gib, double nvml_mib,
                                         const std::string& capability) {
  domain::VisibleMemory memory;
  memory.bytes = domain::exactly(gib_of(total_gib));
  memory.parent_bytes = gib_of(nvml_mib / 1024);
  memory.compute_capability = capability;
  memory.vendor = "nvidia";
  memory.multiprocessors = 132;
  return memory;
}
inline domain::VisibleMemory printed_h100() { return printed_gpu(79.19, 81559, "9.0"); }
inline domain::VisibleMemory printed_h200() { return printed_gpu(139.8, 143771, "9.0"); }

/// What is sized, and by whom.
struct AskedEngine {
  std::string_view model;
  std::string_view engine;
  std::string version = {};
  std::int64_t tensor = 1;
};

inline domain::Workload engine_workload(const AskedEngine& row) {
  domain::Workload workload;
  workload.engine.engine = flag(std::string(row.engine));
  if (!row.version.empty()) workload.engine.version = flag(*domain::engine_version(row.version));
  workload.engine.tensor = flag(row.tensor);
  return workload;
}

inline domain::Estimate engine_estimate(const AskedEngine& row, const domain::Workload& workload,
                                        const std::optional<domain::VisibleMemory>& memory) {
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*built_in_catalog().find(row.model), workload,
                                *built_in_catalog().engine(row.engine), memory);
  REQUIRE_MESSAGE(estimate.has_value(), estimate.error().front().message);
  return *estimate;
}

inline domain::Range term_range(const domain::Estimate& estimate, std::string_view name) {
  for (const domain::Term& one : estimate.terms) {
    if (one.name == name) return one.bytes;
  }
  return {};
}

}  // namespace gpushape::example
