// How much of a device a workload needs: from its declared demand, or from the memory of its model
// under engine settings that are chosen for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/advise.hpp"
#include "advise/facts.hpp"
#include "base/result.hpp"
#include "domain/estimate.hpp"

namespace gpushape::advise {

/// How one load is spread: over the GPUs of an instance, and over copies of the instance.
struct Layout {
  domain::Parallelism parallelism;
  std::int64_t gpus = 1;
  std::int64_t copies = 1;
  std::int64_t nodes = 1;  ///< hosts that the GPUs of one instance stand in, evenly
  std::string why = {};    ///< where there was a choice of axes
};

/// What one GPU of a layout must hold.
struct Need {
  Bytes weights_bytes;
  Bytes static_bytes;                  ///< weights and runtime
  std::optional<Bytes> dynamic_bytes;  ///< cache, state and activation
  bool dynamic_is_ceiling = false;     ///< concurrency x context: no percentile is known
  std::optional<Bytes> ceiling_bytes;
  std::optional<Bytes> need_bytes;           ///< static + dynamic + guard, or the ceiling
  std::optional<domain::Estimate> estimate;  ///< absent where the demand was declared
};

/// The workload on this memory; without one, what it needs anywhere. Engine settings that the user
/// left open are chosen: as many sequences as are in flight, the largest usual batch with which it
/// fits, and the highest utilization that leaves room for what lies outside the engine's balance.
/// The estimate that they give carries them. Fails where the estimate cannot be made.
Result<Need> size_workload(const AdviceRequest& request, const Facts& declared,
                           const Layout& layout,
                           const std::optional<domain::VisibleMemory>& memory);

/// Sequences in flight of one copy; nothing where the concurrency is not known.
std::optional<std::int64_t> concurrency_of(const domain::Workload& workload, const Layout& layout);
/// Of one engine core of it: data parallel ranks that serve share the sequences out.
std::optional<std::int64_t> concurrency_of_rank(const domain::Workload& workload,
                                                const Layout& layout);

/// A declared demand stands in for the memory of a model.
bool has_demand(const domain::Workload& workload);

}  // namespace gpushape::advise
