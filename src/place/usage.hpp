// What is allocated and what is used: telemetry laid over a cluster, GPU by GPU, holder by holder,
// team by team. Work is counted in GPUs: eight GPUs that compute a quarter of the time do the work
// of two.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/usage.hpp"
#include "place/snapshot.hpp"

namespace gpushape::place {

/// Ours: below this share of time a GPU counts as idle; a monitoring agent alone stays below it.
inline constexpr double kIdleBelow = 0.01;

/// How busy something was over the window.
struct Activity {
  double mean = 0;                   ///< 0 to 1
  std::optional<double> idle_since;  ///< seconds since 1970; absent: busy at the end
  bool is_idle_throughout = false;   ///< idle from the first sample on: perhaps longer

  bool operator==(const Activity&) const = default;
};

struct GpuUsage {
  std::size_t host = 0;
  int gpu = 0;
  double allocated = 0;              ///< of the device, 0 to 1
  std::optional<Activity> activity;  ///< absent: not measured
  std::optional<Bytes> used_bytes;   ///< most over the window
  std::vector<std::string> holders;
};

/// A VM, a pod or another holder of shares. Where only the GPU is measured and several hold it, its
/// work is divided by their shares.
struct HolderUsage {
  std::string name;
  std::string team;
  std::size_t host = 0;
  double allocated_gpus = 0;
  double measured_gpus = 0;  ///< of these, on GPUs that are measured
  double work_gpus = 0;
  bool is_divided = false;  ///< not measured alone
  std::optional<double> idle_since;
  bool is_idle_throughout = false;
  std::int64_t millicores = 0;  ///< that pausing it would free, as the memory
  Bytes memory_bytes;

  [[nodiscard]] bool is_idle() const { return idle_since.has_value(); }
};

struct UsageTotal {
  std::string name;
  double gpus = 0;  ///< there are; 0 for a team
  double allocated_gpus = 0;
  double measured_gpus = 0;  ///< allocated and measured
  double work_gpus = 0;
};

struct Usage {
  double first_seconds = 0;  ///< of the window
  double last_seconds = 0;
  std::vector<GpuUsage> gpus;        ///< in the order of the hosts
  std::vector<HolderUsage> holders;  ///< by name
  std::vector<UsageTotal> teams;     ///< by name; holders without a team are one
  UsageTotal total;
  std::vector<std::string> unknown;  ///< GPUs that telemetry names and the cluster lacks
};

Usage usage_of(const Snapshot& snapshot, const domain::Cluster& cluster,
               std::span<const domain::UsageSeries> series);

}  // namespace gpushape::place
