// What telemetry tells of GPUs over time: how busy they were and how much memory was used. Made by
// inventory from the metrics of the DCGM exporter, weighed by place.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpushape::domain {

struct UsageSample {
  double seconds = 0;  ///< since 1970
  double value = 0;

  bool operator==(const UsageSample&) const = default;
};

enum class UsageMetric {
  EngineActive,  ///< share of time that some engine of the GPU or instance computed, 0 to 1
  Utilization,   ///< share of time that some kernel ran, 0 to 1
  MemoryUsed     ///< bytes
};

/// One metric of one GPU, or of one MIG instance of it.
struct UsageSeries {
  UsageMetric metric = UsageMetric::EngineActive;
  std::string uuid;  ///< empty: not told, as the others
  std::string host;
  std::string index;  ///< as its host counts it, "0"
  std::string pci_address;
  std::string instance;              ///< MIG GPU instance; empty: the whole device
  std::string instance_profile;      ///< "1g.10gb"
  std::string holder;                ///< namespace/pod, where the exporter maps them
  std::vector<UsageSample> samples;  ///< in order of time, at least one

  bool operator==(const UsageSeries&) const = default;
};

}  // namespace gpushape::domain
