// A sweep's rows against the ordinary estimate of the same question, and the order of the rows.
#include "estimate/sweep.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimate/engines.hpp"
#include "estimate/estimate_memory.hpp"
#include "estimate/samples.hpp"
#include "support/built_in_catalog.hpp"

using namespace gpushape;
using estimate::Count;
using estimate::SweepGrid;
using estimate::SweepRow;
using estimate::SweepWalk;

namespace {

template <class T>
T one_of(std::vector<T> values) {
  return *rc::gen::elementOf(std::move(values));
}

/// One to three of the values.
template <class T>
std::vector<T> some_of(const std::vector<T>& values) {
  std::vector<T> some(*rc::gen::inRange<std::size_t>(1, 4));
  for (T& value : some) value = *rc::gen::elementOf(values);
  return some;
}

domain::VisibleMemory l4() {
  domain::VisibleMemory gpu = example::h100();
  gpu.device = "l4";
  gpu.bytes = {.low = gib(22), .expected = gib_of(22.03), .high = gib_of(22.2)};
  gpu.parent_bytes = gib(23);
  gpu.product_name = "NVIDIA L4";
  gpu.compute_capability = "8.9";
  gpu.multiprocessors = 58;
  return gpu;
}

/// A guest that sees more than it can take.
domain::VisibleMemory guest() {
  domain::VisibleMemory gpu = example::h100();
  gpu.profile = "40C";
  gpu.bytes = domain::exactly(gib(40));
  gpu.takeable_bytes = gib_of(37.4);
  return gpu;
}

/// Every tenth model of the catalog.
const std::vector<domain::Model>& some_models() {
  static const std::vector<domain::Model> models = [] {
    constexpr std::size_t kEvery = 10;
    std::vector<domain::Model> some;
    const std::vector<std::string> names = example::built_in_catalog().models();
    for (std::size_t i = 0; i < names.size(); i += kEvery)
      some.push_back(*example::built_in_catalog().find(names[i]));
    return some;
  }();
  return models;
}

SweepGrid drawn_grid() {
  SweepGrid grid;
  for (std::size_t i = *rc::gen::inRange<std::size_t>(1, 4); i > 0; --i)
    grid.models.push_back(some_models()[*rc::gen::inRange<std::size_t>(0, some_models().size())]);
  std::vector<std::string> engines;
  for (const estimate::EngineRow& row : estimate::engine_rows()) engines.emplace_back(row.name);
  grid.engines.push_back(*example::built_in_catalog().engine(one_of(engines)));
  std::vector<std::optional<domain::EngineVersion>> versions = {std::nullopt};
  for (const domain::EngineVersion& version : grid.engines.front().known_versions)
    versions.emplace_back(version);
  grid.versions = some_of(versions);
  grid.quantizations = some_of<std::optional<domain::Quantization>>(
      {std::nullopt, domain::Quantization::Fp8, domain::Quantization::Int4,
       domain::Quantization::Mxfp4});
  grid.kv_cache_types = some_of<std::optional<domain::KvCacheType>>(
      {std::nullopt, domain::KvCacheType::Auto, domain::KvCacheType::Fp8,
       domain::KvCacheType::Bf16});
  grid.tensor = some_of<Count>({std::nullopt, 1, 2, 3, 8});
  grid.pipeline = some_of<Count>({std::nullopt, 2, 4, 7});
  grid.max_num_seqs = some_of<Count>({std::nullopt, 4, 128});
  grid.max_num_batched_tokens = some_of<Count>({std::nullopt, 2048});
  grid.contexts = some_of<Count>({1, 17, 512, 2048, 8192, 131072});
  grid.concurrencies = some_of<Count>({1, 2, 30, 1000});
  grid.utilizations = some_of<std::optional<double>>({std::nullopt, 0.5, 0.95});
  grid.gpus =
      some_of<std::optional<domain::VisibleMemory>>({std::nullopt, example::h100(), l4(), guest()});
  return grid;
}

void check_same(const SweepRow& row, const SweepGrid& grid) {
  RC_ASSERT((row.resolved == nullptr) == !row.reason.empty());
  const Result<domain::Estimate> estimate =
      estimate::estimate_memory(*row.model, *row.workload, *row.engine, grid.gpus[row.gpu]);
  if (!estimate) {
    RC_ASSERT(row.reason == estimate.error().front().message);
    return;
  }
  RC_ASSERT(row.reason == "");
  RC_ASSERT(row.figures.total == estimate->total_bytes);
  for (const auto& part : kNames<domain::Part>) {
    RC_ASSERT(row.figures.parts.at(static_cast<std::size_t>(part.value)) ==
              domain::part_bytes(*estimate, part.value).expected);
  }
  RC_ASSERT(row.figures.kv_bytes_per_token == estimate->kv_bytes_per_token);
  RC_ASSERT(row.figures.max_num_seqs == estimate->settings.max_num_seqs.value);
  RC_ASSERT(row.figures.max_num_batched_tokens == estimate->settings.max_num_batched_tokens.value);
  RC_ASSERT(row.figures.capacity.has_value() == estimate->capacity.has_value());
  if (!estimate->capacity) return;
  domain::Capacity capacity = *row.figures.capacity;
  capacity.gpu = estimate->capacity->gpu;
  capacity.profile = estimate->capacity->profile;
  capacity.kv_pool_formula = estimate->capacity->kv_pool_formula;
  capacity.kv_pool_source = estimate->capacity->kv_pool_source;
  RC_ASSERT(capacity == *estimate->capacity);
}

}  // namespace

TEST_SUITE("estimate") {
  TEST_CASE("every row of a sweep is the estimate of its combination, to the byte") {
    CHECK(rc::check([] {
      const SweepGrid grid = drawn_grid();
      const std::int64_t rows = *estimate::row_count(grid);
      // A stretch from anywhere: what came before must not matter.
      constexpr std::int64_t kStretch = 40;
      const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, rows);
      SweepWalk walk(grid);
      for (std::int64_t number = first; number < std::min(rows, first + kStretch); ++number)
        check_same(walk.at(number), grid);
    }));
  }

  TEST_CASE("a row is the same wherever the walk comes from") {
    CHECK(rc::check([] {
      const SweepGrid grid = drawn_grid();
      const std::int64_t rows = *estimate::row_count(grid);
      SweepWalk walk(grid);
      for (int i = 0; i < 10; ++i)
        check_same(walk.at(*rc::gen::inRange<std::int64_t>(0, rows)), grid);
    }));
  }

  TEST_CASE("the last list varies fastest") {
    SweepGrid grid;
    grid.models = {example::model(example::llama_8b())};
    grid.engines = {example::vllm()};
    grid.tensor = {1, 2};
    grid.contexts = {1024, 2048};
    grid.concurrencies = {1, 8, 64};
    REQUIRE(estimate::row_count(grid) == 12);
    SweepWalk walk(grid);
    const SweepRow& second = walk.at(1);
    CHECK(second.workload->concurrency->value == 8);
    CHECK(second.workload->context_tokens->value == 1024);
    const SweepRow& fourth = walk.at(3);
    CHECK(fourth.workload->concurrency->value == 1);
    CHECK(fourth.workload->context_tokens->value == 2048);
    const SweepRow& seventh = walk.at(6);
    CHECK(seventh.workload->engine.tensor->value == 2);
    CHECK(seventh.setting == 1);
  }

  TEST_CASE("a combination that cannot be has a reason") {
    SweepGrid grid;
    grid.models = {example::model(example::llama_8b())};
    grid.engines = {example::vllm()};
    grid.tensor = {1, 3};
    grid.contexts = {1024, 262144};
    grid.concurrencies = {1};
    SweepWalk walk(grid);
    CHECK(walk.at(0).reason.empty());
    CHECK(walk.at(1).reason.contains("262144 is above the 131072 tokens"));
    CHECK(walk.at(2).reason.contains("does not divide the 32 attention heads"));
    grid.engines.front().name = "sundial";
    SweepWalk other(grid);
    CHECK(other.at(0).reason.contains("'sundial' is not modelled"));
  }

  TEST_CASE("shards follow each other without gaps") {
    CHECK(estimate::shard_rows(10, 1, 3) == estimate::RowRange{0, 4});
    CHECK(estimate::shard_rows(10, 2, 3) == estimate::RowRange{4, 7});
    CHECK(estimate::shard_rows(10, 3, 3) == estimate::RowRange{7, 10});
    CHECK(estimate::shard_rows(2, 3, 3) == estimate::RowRange{2, 2});
    CHECK(rc::check([] {
      const std::int64_t rows = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 60);
      const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 5000);
      std::int64_t next = 0;
      for (std::int64_t shard = 1; shard <= count; ++shard) {
        const estimate::RowRange range = estimate::shard_rows(rows, shard, count);
        RC_ASSERT(range.first == next);
        RC_ASSERT(range.last - range.first <= rows / count + 1);
        next = range.last;
      }
      RC_ASSERT(next == rows);
    }));
  }

  TEST_CASE("a grid of too many rows has no count") {
    SweepGrid grid;
    grid.models = {example::model(example::llama_8b())};
    grid.engines = {example::vllm()};
    grid.contexts.assign(1'000'000, Count(8192));
    grid.concurrencies.assign(1'000'000, Count(1));
    CHECK(estimate::row_count(grid) == 1'000'000'000'000);
    grid.utilizations.assign(1'000'000, 0.9);
    grid.tensor.assign(1'000'000, Count(1));
    CHECK(estimate::row_count(grid) == std::nullopt);
  }
}
