// The same estimate over a grid: every combination of what varies, one row each, in a stated order.
//
// Rows are numbered from 0. A walk gives the figures of any stretch of them, so that a grid can be
// cut into shards and dealt out to cores: a row is the same whoever computes it. What combinations
// share is resolved once (prepared.hpp); what is left costs a fraction of a microsecond a row, and
// no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.hpp"
#include "domain/estimate.hpp"
#include "domain/model.hpp"
#include "domain/workload.hpp"
#include "estimate/prepared.hpp"
#include "estimate/shared_findings.hpp"

namespace gpushape::estimate {

using Count = std::optional<std::int64_t>;

/// What varies, in the order in which rows follow each other: the last list varies fastest. No list
/// is empty; an element without a value leaves to the model, the engine or the workload what it
/// takes.
struct SweepGrid {
  domain::Workload workload;  ///< what does not vary
  std::vector<domain::Model> models;
  std::vector<domain::Engine> engines;
  std::vector<std::optional<domain::EngineVersion>> versions = {std::nullopt};
  std::vector<std::optional<domain::Quantization>> quantizations = {std::nullopt};
  std::vector<std::optional<domain::KvCacheType>> kv_cache_types = {std::nullopt};
  std::vector<Count> tensor = {std::nullopt};
  std::vector<Count> pipeline = {std::nullopt};
  std::vector<Count> data = {std::nullopt};
  std::vector<Count> expert = {std::nullopt};
  std::vector<Count> max_num_seqs = {std::nullopt};
  std::vector<Count> max_num_batched_tokens = {std::nullopt};
  std::vector<Count> contexts = {std::nullopt};
  std::vector<Count> concurrencies = {std::nullopt};
  std::vector<std::optional<double>> utilizations = {std::nullopt};
  /// Without a value: no GPU, and no capacity.
  std::vector<std::optional<domain::VisibleMemory>> gpus = {std::nullopt};
};

/// Of the whole grid; nothing where the count does not fit.
std::optional<std::int64_t> row_count(const SweepGrid& grid);

/// Rows of shard `number` of `count`, both from 1: [first, last). Shards follow each other without
/// gaps, and differ by one row at most.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool operator==(const RowRange&) const = default;
};
RowRange shard_rows(std::int64_t rows, std::int64_t number, std::int64_t count);

/// The figures of one combination that can be.
struct SweepFigures {
  std::array<Bytes, kNames<domain::Part>.size()> parts;  ///< by domain::Part, as expected
  domain::Range total;
  Bytes kv_bytes_per_token;
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::optional<domain::Capacity> capacity;  ///< without names
};

/// One row. It holds until the walk takes the next one.
struct SweepRow {
  std::int64_t number = 0;
  /// Counts the combinations of all but context, concurrency, utilization and GPU.
  std::int64_t setting = 0;
  std::size_t gpu = 0;  ///< in the grid
  const domain::Workload* workload = nullptr;
  const domain::Model* model = nullptr;
  const domain::Engine* engine = nullptr;
  /// The plan of this combination; nullptr where it cannot be.
  const ResolvedPlan* resolved = nullptr;
  std::string_view reason;  ///< why the combination cannot be; empty where it can
  SweepFigures figures;     ///< where it can
};

class SweepWalk {
 public:
  /// Keeps a reference to the grid.
  explicit SweepWalk(const SweepGrid& grid);
  SweepWalk(const SweepWalk&) = delete;
  SweepWalk& operator=(const SweepWalk&) = delete;

  /// Rows may be asked for in any order; those of one setting are cheap one after another.
  const SweepRow& at(std::int64_t number);

 private:
  struct OnGpu {
    bool is_checked = false;
    std::string reason;  ///< why the setting cannot be on this GPU
    std::optional<PreparedEstimate> prepared;
    std::int64_t settled_load = -1;
    std::string fault;  ///< why the last load could not be settled
  };

  void take_setting(std::int64_t setting);
  void take_load(std::int64_t load);
  void check(OnGpu& slot);
  Diagnostics settle(OnGpu& slot);
  [[nodiscard]] Request request_for(std::size_t gpu);
  void read(const PreparedEstimate& prepared);

  const SweepGrid& grid_;
  domain::Workload workload_;  ///< of the row: prepared estimates point to it
  SweepRow row_;
  SharedFindings shared_;
  std::int64_t setting_ = -1;
  std::int64_t load_ = -1;   ///< counts the combinations of context, concurrency and utilization
  std::string load_reason_;  ///< why no GPU can take this load
  std::vector<OnGpu> gpus_;
};

}  // namespace gpushape::estimate
