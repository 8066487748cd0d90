// One copy of a model over several whole GPUs by tensor parallelism, and what it would be on fewer.
#pragma once

#include <cstdint>
#include <optional>

#include "review/rules/support.hpp"

namespace gpushape::review {

struct TensorGroup {
  const Sizing* sizing = nullptr;
  std::int64_t gpus = 0;
  std::int64_t heads = 0;  ///< of attention, which the GPUs share evenly
  domain::Workload workload;
  /// Sequences in flight that are declared, or admitted by the engine's own flag; empty: not said.
  std::optional<std::int64_t> wanted;

  /// Whether so many GPUs could hold a copy: fewer, and the heads divide.
  [[nodiscard]] bool could_be(std::int64_t fewer) const;
  /// The workload on so many, with `sequences` in flight.
  [[nodiscard]] domain::Workload on(std::int64_t fewer, std::int64_t sequences) const;
};

/// Nothing where the engine is split in other ways, too, or stands on parts of GPUs, or where a
/// contract of ours weighed that layout before.
std::optional<TensorGroup> tensor_group(const SizedPod& sized);
/// Of a VM whose workload is that of the request.
std::optional<TensorGroup> tensor_group(const Deployment& deployment, const VmClass& vm);

/// Sequences of the whole context that the pool holds; at its low end.
std::int64_t least_sequences(const domain::Capacity& capacity);
std::int64_t sequences_held(const domain::Capacity& capacity);

}  // namespace gpushape::review
