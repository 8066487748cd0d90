// What arrives and leaves: traces of VMs with their times, and lists of tasks that share GPUs in
// thousandths. Made by inventory, replayed by simulate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "domain/cluster.hpp"

namespace gpushape::domain {

struct TraceEvent {
  bool is_arrival = true;
  std::string vm;
  PlacementRequest request;  ///< of an arrival
  double seconds = 0;        ///< from the start of the trace

  bool operator==(const TraceEvent&) const = default;
};

/// In order of time; a departure before an arrival of the same second.
struct Trace {
  std::vector<TraceEvent> events;
  std::string source;
  std::string remark;  ///< what of the source is not in the events; may be empty

  bool operator==(const Trace&) const = default;
};

inline constexpr std::int64_t kMilliPerGpu = 1000;
inline constexpr int kMostSharedGpus = 16;  ///< of one node

/// A node whose GPUs are shared in thousandths, without modes and starts.
struct SharedNode {
  std::string name;
  std::string model;  ///< of its GPUs; empty without any
  std::int64_t millicores = 0;
  std::optional<Bytes> memory_bytes;  ///< absent: the list does not tell, and it bounds nothing
  int gpus = 0;

  bool operator==(const SharedNode&) const = default;
};

struct SharedTask {
  std::string name;
  std::int64_t millicores = 0;
  Bytes memory_bytes;
  int gpus = 0;                     ///< 0: CPU only
  std::int64_t gpu_milli = 0;       ///< of each GPU
  std::vector<std::string> models;  ///< sorted; empty: any

  bool operator==(const SharedTask&) const = default;
};

}  // namespace gpushape::domain
