// The policies of shared pools: those of the published comparison (Q. Weng et al., "Beware of
// Fragmentation", USENIX ATC 2023) as its simulator scores them, and ours.
#include <algorithm>
#include <array>
#include <cmath>

#include "place/shared_pool.hpp"

namespace gpushape::place {

namespace {

/// Of equal scores the GPU with less left: far below any difference that a policy means.
double tightest(const SharedOption& option) { return -1e-9 * static_cast<double>(option.level); }

double random_fit(const SharedOption& option, const SharedContext& /*context*/) {
  return tightest(option);
}

/// Half the CPU and half the GPU capacity that stay free, each over the largest node's.
double best_fit(const SharedOption& option, const SharedContext& context) {
  const double cpu = static_cast<double>(option.after.free_millicores) /
                     static_cast<double>(context.most_millicores);
  const double gpu =
      static_cast<double>(option.after.idle_milli()) / static_cast<double>(context.most_milli);
  return -(cpu + gpu) / 2 + tightest(option);
}

/// Tetris: the smaller the product of what is free and what is asked for, the better.
double dot_product(const SharedOption& option, const SharedContext& context) {
  const auto cpu_scale = static_cast<double>(context.most_millicores);
  const auto gpu_scale = static_cast<double>(context.most_milli);
  const double cpu = static_cast<double>(option.before.free_millicores) / cpu_scale *
                     static_cast<double>(option.kind.millicores) / cpu_scale;
  const double gpu = static_cast<double>(option.before.idle_milli()) / gpu_scale *
                     static_cast<double>(option.kind.total_milli()) / gpu_scale;
  return -(cpu + gpu) / 2 + tightest(option);
}

std::ptrdiff_t whole_gpus(const NodeState& node) {
  return std::ranges::count(node.free_milli, domain::kMilliPerGpu);
}

/// Shared GPUs first, then free GPUs of used nodes, then free nodes.
double packing(const SharedOption& option, const SharedContext& /*context*/) {
  if (option.kind.gpus == 0) return 0;
  const std::ptrdiff_t whole = whole_gpus(option.before);
  if (whole == option.before.free_milli.size()) return 33 - static_cast<double>(whole);
  const std::ptrdiff_t taken = whole - whole_gpus(option.after);
  if (taken > 0) return std::max(50.0 - static_cast<double>(taken), 33.0);
  return std::max(100.0 - std::floor(static_cast<double>(option.level) / 100), 50.0) +
         tightest(option);
}

/// Nodes with requests of the same GPU size first; among them the fullest.
double clustering(const SharedOption& option, const SharedContext& context) {
  if (option.kind.gpus == 0) return 0;
  const std::vector<std::int64_t>& sizes = option.before.request_sizes;
  const bool has_own = std::ranges::binary_search(sizes, option.kind.total_milli());
  double base = sizes.empty() ? 25 : 0;
  if (has_own) base = sizes.size() == 1 ? 75 : 50;
  const double fullness =
      1 - static_cast<double>(option.before.idle_milli()) / static_cast<double>(context.most_milli);
  return base + std::floor(25 * fullness) + tightest(option);
}

/// Idle thousandths on GPUs that the next task cannot use.
double touch(const NodeState& node, const SharedContext& context) {
  const auto idle = static_cast<double>(node.idle_milli());
  if (idle <= 0) return 0;
  double sum = 0;
  for (const WeighedKind& row : context.kinds) {
    double lost = idle;
    if (row.kind.gpus > 0 && fits(node, row.kind)) {
      lost = 0;
      for (const std::int64_t free : node.free_milli) {
        if (free < row.kind.gpu_milli) lost += static_cast<double>(free);
      }
    }
    sum += row.probability * lost;
  }
  return sum;
}

std::int64_t copies(const NodeState& node, const TaskKind& kind) {
  if (!fits(node, kind)) return 0;
  std::int64_t count = 0;
  for (const std::int64_t free : node.free_milli) {
    count += kind.gpus == 1 ? free / kind.gpu_milli : (free >= kind.gpu_milli ? 1 : 0);
  }
  if (kind.gpus > 1) count /= kind.gpus;
  if (kind.millicores > 0) count = std::min(count, node.free_millicores / kind.millicores);
  if (kind.memory > 0) count = std::min(count, node.free_memory / kind.memory);
  return count;
}

/// Idle thousandths that stay when the node is filled with one kind of task.
double fill(const NodeState& node, const SharedContext& context) {
  const auto idle = static_cast<double>(node.idle_milli());
  if (idle <= 0) return 0;
  double sum = 0;
  for (const WeighedKind& row : context.kinds) {
    if (row.kind.gpus == 0 || row.kind.gpu_milli == 0) continue;
    sum += row.probability *
           (idle - static_cast<double>(copies(node, row.kind) * row.kind.total_milli()));
  }
  return sum;
}

/// Idle thousandths for which the CPU is gone, at the CPU of the expected GPU task.
double without_cpu(const NodeState& node, const SharedContext& context) {
  if (context.millicores_per_milli <= 0) return 0;
  return std::max(0.0,
                  static_cast<double>(node.idle_milli()) -
                      static_cast<double>(node.free_millicores) / context.millicores_per_milli);
}

/// Fragmentation gradient descent, with the rounding of its scores to whole points.
double gradient_descent(const SharedOption& option, const SharedContext& /*context*/) {
  constexpr double kMilli = 1000;
  return std::floor(100 / (1 + std::exp(option.loss / kMilli)));
}

/// What the next tasks cannot use, seen for one task (touch) and for a node filled with its like
/// (fill), half each, and GPU capacity whose CPU is gone. The first alone is blind to CPU that runs
/// out later, the second alone to what fits right now.
double later_loss(const NodeState& node, const SharedContext& context) {
  return (touch(node, context) + fill(node, context)) / 2 + without_cpu(node, context);
}

double expected_loss(const SharedOption& option, const SharedContext& /*context*/) {
  return -option.loss;
}

constexpr auto kSharedPolicies = std::to_array<SharedPolicyRow>({
    {.name = "random", .description = "any node that fits", .score = random_fit, .is_random = true},
    {.name = "dot-product",
     .description = "least product of what is free and what is asked for",
     .score = dot_product},
    {.name = "best-fit", .description = "least CPU and GPU left", .score = best_fit},
    {.name = "packing",
     .description = "shared GPUs, then used nodes, then free nodes",
     .score = packing},
    {.name = "clustering",
     .description = "nodes with requests of the same size",
     .score = clustering,
     .tracks_sizes = true},
    {.name = "gradient-descent",
     .description = "least rise of the published fragmentation",
     .score = gradient_descent,
     .loss = touch},
    {.name = "expected-loss",
     .description = "least rise of what later tasks cannot use, with prices of scarce models",
     .score = expected_loss,
     .loss = later_loss,
     .draws_ties = false,
     .has_prices = true},
});

}  // namespace

std::span<const SharedPolicyRow> shared_policies() { return kSharedPolicies; }

const SharedPolicyRow* find_shared_policy(std::string_view name) {
  const auto row = std::ranges::find(kSharedPolicies, name, &SharedPolicyRow::name);
  return row == kSharedPolicies.end() ? nullptr : &*row;
}

}  // namespace gpushape::place
