// The GPU of a published start: records name GPUs in words of their own, and many are of kinds that
// no data center profile covers.
#pragma once

#include <optional>
#include <string>

#include "calibrate/engine_start.hpp"
#include "domain/estimate.hpp"
#include "profiles/profiles.hpp"

namespace gpushape::calibrate {

struct RecordGpu {
  std::optional<domain::VisibleMemory> memory;  ///< absent where neither GPU nor total is stated
  bool is_named = false;                        ///< the record names a GPU that is known
  std::string reason;  ///< why its memory is no ground for a pool; empty where it is
};

/// GPU and host share the memory: what is free of it changes with the system's page cache, so that
/// differences of free memory measure more than the engine.
/// https://github.com/vllm-project/vllm/issues/44740
bool shares_memory(const domain::VisibleMemory& gpu);

/// The GPU with what the start found free of it, where it printed that.
std::optional<domain::VisibleMemory> as_found(std::optional<domain::VisibleMemory> gpu,
                                              const EngineStart& start);

RecordGpu gpu_of(const EngineStart& start, const profiles::Profiles& profiles);

}  // namespace gpushape::calibrate
