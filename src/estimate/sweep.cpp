#include "estimate/sweep.hpp"

#include <fmt/format.h>

#include <utility>

#include "estimate/engines.hpp"
#include "estimate/images.hpp"

namespace gpushape::estimate {
namespace {

using domain::Fact;
using domain::Origin;

/// Takes the digits of a number apart, the fastest first.
class Digits {
 public:
  explicit Digits(std::int64_t number) : rest_(number) {}

  template <class T>
  const T& of(const std::vector<T>& list) {
    const auto size = static_cast<std::int64_t>(list.size());
    const auto place = static_cast<std::size_t>(rest_ % size);
    rest_ /= size;
    return list[place];
  }

 private:
  std::int64_t rest_;
};

std::size_t loads_of(const SweepGrid& grid) {
  return grid.contexts.size() * grid.concurrencies.size() * grid.utilizations.size();
}

/// A value of the grid wins over the workload's; without one that stays.
template <class T>
void put(std::optional<Fact<T>>& target, const std::optional<Fact<T>>& otherwise,
         const std::optional<T>& value) {
  if (!value) {
    target = otherwise;
  } else if (target) {
    target->value = *value;
  } else {
    target = Fact<T>{*value, Origin::Flag, "the grid"};
  }
}

std::string reason_of(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? std::string() : diagnostics.front().message;
}

}  // namespace

std::optional<std::int64_t> row_count(const SweepGrid& grid) {
  std::int64_t rows = 1;
  for (const std::size_t size :
       {grid.models.size(), grid.engines.size(), grid.versions.size(), grid.quantizations.size(),
        grid.kv_cache_types.size(), grid.tensor.size(), grid.pipeline.size(), grid.data.size(),
        grid.expert.size(), grid.max_num_seqs.size(), grid.max_num_batched_tokens.size(),
        grid.contexts.size(), grid.concurrencies.size(), grid.utilizations.size(),
        grid.gpus.size()}) {
    if (__builtin_mul_overflow(rows, static_cast<std::int64_t>(size), &rows)) return std::nullopt;
  }
  return rows;
}

RowRange shard_rows(std::int64_t rows, std::int64_t number, std::int64_t count) {
  // rows x number / count without the product, which may not fit: the first shards take the rest.
  const std::int64_t size = rows / count;
  const std::int64_t rest = rows % count;
  const auto end_of = [&](std::int64_t shard) { return shard * size + std::min(shard, rest); };
  return {.first = end_of(number - 1), .last = end_of(number)};
}

SweepWalk::SweepWalk(const SweepGrid& grid)
    : grid_(grid), workload_(grid.workload), gpus_(grid.gpus.size()) {
  row_.workload = &workload_;
}

const SweepRow& SweepWalk::at(std::int64_t number) {
  const auto gpus = static_cast<std::int64_t>(grid_.gpus.size());
  const auto loads = static_cast<std::int64_t>(loads_of(grid_));
  const std::int64_t load = number / gpus;
  if (load != load_) {
    const std::int64_t setting = load / loads;
    if (setting != setting_) take_setting(setting);
    take_load(load);
  }
  row_.number = number;
  row_.gpu = static_cast<std::size_t>(number - load * gpus);
  row_.resolved = nullptr;
  row_.reason = load_reason_;
  OnGpu& slot = gpus_[row_.gpu];
  if (!slot.is_checked) check(slot);
  if (!slot.reason.empty()) row_.reason = slot.reason;
  if (!row_.reason.empty()) return row_;
  if (slot.settled_load != load) {
    const Diagnostics faults = settle(slot);
    slot.settled_load = faults.empty() ? load : -1;
    slot.fault = reason_of(faults);
    row_.reason = slot.fault;
    if (!faults.empty()) return row_;
  }
  row_.resolved = &slot.prepared->resolved();
  read(*slot.prepared);
  return row_;
}

void SweepWalk::take_setting(std::int64_t setting) {
  Digits digits(setting);
  domain::EngineSettings& engine = workload_.engine;
  const domain::EngineSettings& base = grid_.workload.engine;
  put(engine.max_num_batched_tokens, base.max_num_batched_tokens,
      digits.of(grid_.max_num_batched_tokens));
  put(engine.max_num_seqs, base.max_num_seqs, digits.of(grid_.max_num_seqs));
  put(engine.expert, base.expert, digits.of(grid_.expert));
  put(engine.data, base.data, digits.of(grid_.data));
  put(engine.pipeline, base.pipeline, digits.of(grid_.pipeline));
  put(engine.tensor, base.tensor, digits.of(grid_.tensor));
  const std::optional<domain::KvCacheType>& type = digits.of(grid_.kv_cache_types);
  workload_.kv_cache_type = type ? Fact<domain::KvCacheType>{*type, Origin::Flag, "the grid"}
                                 : grid_.workload.kv_cache_type;
  put(workload_.quantization, grid_.workload.quantization, digits.of(grid_.quantizations));
  put(engine.version, base.version, digits.of(grid_.versions));
  row_.engine = &digits.of(grid_.engines);
  engine.engine.value = row_.engine->name;
  const domain::Model* model = &digits.of(grid_.models);
  if (model != row_.model) {
    shared_.needs = {};
    shared_.weights = {};
  }
  row_.model = model;
  row_.setting = setting;
  setting_ = setting;
  for (OnGpu& slot : gpus_) slot = {};
}

void SweepWalk::take_load(std::int64_t load) {
  Digits digits(load % static_cast<std::int64_t>(loads_of(grid_)));
  put(workload_.engine.gpu_memory_utilization, grid_.workload.engine.gpu_memory_utilization,
      digits.of(grid_.utilizations));
  put(workload_.concurrency, grid_.workload.concurrency, digits.of(grid_.concurrencies));
  put(workload_.context_tokens, grid_.workload.context_tokens, digits.of(grid_.contexts));
  load_reason_ = reason_of(add_images(workload_, *row_.model));
  const Request request{
      .model = row_.model, .workload = &workload_, .engine = row_.engine, .gpu = nullptr};
  if (load_reason_.empty()) load_reason_ = reason_of(complaints_about_load(request));
  load_ = load;
}

Request SweepWalk::request_for(std::size_t gpu) {
  const std::optional<domain::VisibleMemory>& memory = grid_.gpus[gpu];
  return {.model = row_.model,
          .workload = &workload_,
          .engine = row_.engine,
          .gpu = memory ? &*memory : nullptr,
          .shared = &shared_};
}

void SweepWalk::check(OnGpu& slot) {
  slot.reason = engine_row(row_.engine->name) == nullptr
                    ? fmt::format("engine '{}' is not modelled", row_.engine->name)
                    : reason_of(complaints_about_setting(request_for(row_.gpu)));
  slot.is_checked = true;
}

Diagnostics SweepWalk::settle(OnGpu& slot) {
  if (slot.prepared) return slot.prepared->settle();
  Result<PreparedEstimate> prepared =
      PreparedEstimate::make(request_for(row_.gpu), *engine_row(row_.engine->name));
  // What a plan is refused for, no load changes.
  if (!prepared) {
    slot.reason = reason_of(prepared.error());
    return std::move(prepared.error());
  }
  slot.prepared = *std::move(prepared);
  return {};
}

void SweepWalk::read(const PreparedEstimate& prepared) {
  SweepFigures& figures = row_.figures;
  const StageFigures& largest = prepared.largest();
  figures.parts = {};
  const std::span<const EngineTerm> rows = prepared.engine().terms();
  for (std::size_t i = 0; i < rows.size(); ++i)
    figures.parts.at(static_cast<std::size_t>(rows[i].row.part)) += largest.terms[i].expected;
  figures.total = largest.total;
  figures.kv_bytes_per_token = prepared.kv_bytes_per_token();
  figures.max_num_seqs = prepared.resolved().plan.max_num_seqs;
  figures.max_num_batched_tokens = prepared.resolved().plan.max_num_batched_tokens;
  if (grid_.gpus[row_.gpu]) {
    figures.capacity = prepared.capacity();
  } else {
    figures.capacity.reset();
  }
}

}  // namespace gpushape::estimate
