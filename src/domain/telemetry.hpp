// What production told of a workload over time: how full the cache of its engine was, how many
// sequences were in flight, and how busy its GPU was. Made by inventory from answers of Prometheus,
// weighed by advise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/kv_cache_type.hpp"

namespace gpushape::domain {

/// Of one engine; where several were measured, their samples stand side by side.
struct EngineTelemetry {
  std::string from;                          ///< the files
  std::int64_t engines = 1;                  ///< that were measured
  double days = 0;                           ///< that samples cover, of the engine with the most
  std::vector<double> uses;                  ///< of the cache pool, 0 to 1, ascending; at least one
  std::vector<double> running;               ///< sequences in flight, ascending; may be empty
  std::optional<std::int64_t> preemptions;   ///< in that time
  std::optional<std::int64_t> pool_tokens;   ///< of the smallest engine
  std::optional<double> utilization;         ///< the share of the GPU that it was told to take
  std::string cache_type;                    ///< as the engine names it; empty: not told
  std::optional<KvCacheType> kv_cache_type;  ///< the same in our words
  std::string model;                         ///< as it is served; empty: not told

  bool operator==(const EngineTelemetry&) const = default;
};

/// Of the GPU that was busiest, and of the one that held most.
struct DeviceTelemetry {
  std::string from;
  std::int64_t gpus = 1;
  double days = 0;
  std::optional<double> compute;   ///< mean share of time that it computed
  std::vector<double> used_bytes;  ///< ascending; may be empty
  bool is_instance = false;        ///< a MIG instance, no whole device

  bool operator==(const DeviceTelemetry&) const = default;
};

/// The sample that `level` of them do not exceed (nearest rank). `ascending` is not empty.
double quantile_of(const std::vector<double>& ascending, double level);

}  // namespace gpushape::domain
