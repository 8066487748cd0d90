// The form without modes and starts, as task lists of Kubernetes clusters have it: GPUs shared in
// thousandths. Its fragmentation is the published one (Q. Weng et al., USENIX ATC 2023).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gpushape::place {

struct MilliTask {
  std::int64_t millicores = 0;
  std::int64_t gpu_milli = 0;  ///< of each GPU
  int gpus = 0;                ///< 0: CPU only

  auto operator<=>(const MilliTask&) const = default;
};

struct WeighedTask {
  double probability = 0;
  MilliTask task;
};

struct MilliNode {
  std::int64_t free_millicores = 0;
  std::vector<std::int64_t> free_gpu_milli;
};

std::int64_t idle_milli(const MilliNode& node);
bool fits(const MilliNode& node, const MilliTask& task);
/// Idle thousandths that the task cannot use: where it fits, those on GPUs with less than it asks
/// of one; otherwise, and for a task without GPU, all of them.
std::int64_t fragment_milli(const MilliNode& node, const MilliTask& task);
double expected_fragment_milli(const MilliNode& node, std::span<const WeighedTask> tasks);

}  // namespace gpushape::place
