#include "place/milli_gpu.hpp"

#include <algorithm>
#include <numeric>

namespace gpushape::place {

std::int64_t idle_milli(const MilliNode& node) {
  return std::accumulate(node.free_gpu_milli.begin(), node.free_gpu_milli.end(), std::int64_t{0});
}

bool fits(const MilliNode& node, const MilliTask& task) {
  return node.free_millicores >= task.millicores &&
         std::ranges::count_if(node.free_gpu_milli, [&](std::int64_t free) {
           return free >= task.gpu_milli;
         }) >= task.gpus;
}

std::int64_t fragment_milli(const MilliNode& node, const MilliTask& task) {
  if (task.gpus == 0 || !fits(node, task)) return idle_milli(node);
  return std::accumulate(node.free_gpu_milli.begin(), node.free_gpu_milli.end(), std::int64_t{0},
                         [&](std::int64_t sum, std::int64_t free) {
                           return free < task.gpu_milli ? sum + free : sum;
                         });
}

double expected_fragment_milli(const MilliNode& node, std::span<const WeighedTask> tasks) {
  return std::accumulate(tasks.begin(), tasks.end(), 0.0, [&](double sum, const auto& row) {
    return sum + row.probability * static_cast<double>(fragment_milli(node, row.task));
  });
}

}  // namespace gpushape::place
