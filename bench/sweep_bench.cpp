// How many estimates a second one core makes of a grid, as `gpushape sweep` walks it: every row in
// turn, from the first to the last, with all that a setting costs when it comes up. Rows that
// cannot be are walked, and not counted.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "domain/profile_memory.hpp"
#include "estimate/engines.hpp"
#include "estimate/sweep.hpp"
#include "profiles/profiles.hpp"

namespace {

using gpushape::estimate::SweepGrid;
namespace domain = gpushape::domain;

/// Dense, with windows, with experts, with latents, with states.
const std::vector<std::string> kModels = {"meta-llama/Llama-3.1-8B-Instruct",
                                          "meta-llama/Llama-3.3-70B-Instruct",
                                          "google/gemma-3-27b-it",
                                          "Qwen/Qwen3-30B-A3B-Instruct-2507",
                                          "deepseek-ai/DeepSeek-V3",
                                          "openai/gpt-oss-120b",
                                          "Qwen/Qwen3-Next-80B-A3B-Instruct"};

void take_models(SweepGrid& grid, const std::vector<std::string>& names) {
  const auto catalog = gpushape::catalog::Catalog::open();
  for (const std::string& name : names) grid.models.push_back(*catalog->find(name));
}

void take_engine(SweepGrid& grid, std::string_view name) {
  const auto catalog = gpushape::catalog::Catalog::open();
  grid.engines = {*catalog->engine(name)};
}

void take_every_gpu(SweepGrid& grid) {
  grid.gpus.clear();
  const auto profiles = gpushape::profiles::Profiles::open();
  const auto devices = profiles->all();
  for (const domain::Device& device : *devices)
    grid.gpus.emplace_back(domain::visible_memory(device, nullptr));
}

std::vector<gpushape::estimate::Count> doubled(std::int64_t first, std::int64_t last) {
  std::vector<gpushape::estimate::Count> counts;
  for (std::int64_t count = first; count <= last; count *= 2) counts.emplace_back(count);
  return counts;
}

/// 7 models x 2 precisions x 2 KV types x 3 layouts x 7 contexts x 9 concurrencies x every GPU.
SweepGrid whole_grid() {
  SweepGrid grid;
  take_models(grid, kModels);
  take_engine(grid, "vllm");
  take_every_gpu(grid);
  grid.quantizations = {std::nullopt, domain::Quantization::Fp8};
  grid.kv_cache_types = {domain::KvCacheType::Auto, domain::KvCacheType::Fp8};
  grid.tensor = {1, 2, 4};
  grid.contexts = doubled(2048, 131072);
  grid.concurrencies = doubled(1, 256);
  return grid;
}

/// A table of one model on one GPU by context and concurrency, for several layouts.
SweepGrid one_gpu() {
  SweepGrid grid = whole_grid();
  grid.models.resize(1);
  std::erase_if(grid.gpus, [](const auto& gpu) { return gpu->device != "h100-sxm-80"; });
  grid.concurrencies.clear();
  for (std::int64_t count = 1; count <= 256; ++count) grid.concurrencies.emplace_back(count);
  return grid;
}

/// Four stages, of which three are looked at.
SweepGrid in_stages() {
  SweepGrid grid = whole_grid();
  grid.pipeline = {4};
  return grid;
}

/// One load for every model of the catalog on every GPU: nothing is shared between rows but
/// weights.
SweepGrid one_load() {
  SweepGrid grid = whole_grid();
  grid.models.clear();
  take_models(grid, gpushape::catalog::Catalog::open()->models());
  grid.tensor = {1};
  grid.contexts = {8192};
  grid.concurrencies = {32};
  return grid;
}

void walk_all(benchmark::State& state, const SweepGrid& grid) {
  const std::int64_t rows = *gpushape::estimate::row_count(grid);
  std::int64_t estimates = 0;
  for (auto _ : state) {
    gpushape::estimate::SweepWalk walk(grid);
    for (std::int64_t number = 0; number < rows; ++number) {
      const gpushape::estimate::SweepRow& row = walk.at(number);
      estimates += row.reason.empty() ? 1 : 0;
      benchmark::DoNotOptimize(&row);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(estimates);
  state.counters["rows"] = static_cast<double>(rows);
}

void sweep(benchmark::State& state, SweepGrid (*make)()) { walk_all(state, make()); }

/// A grid on each engine that is modelled.
void add_engines(const std::string& title, SweepGrid (*make)()) {
  for (const gpushape::estimate::EngineRow& row : gpushape::estimate::engine_rows()) {
    const auto run = [make, name = row.name](benchmark::State& state) {
      SweepGrid grid = make();
      take_engine(grid, name);
      walk_all(state, grid);
    };
    benchmark::RegisterBenchmark((title + "/" + std::string(row.name)).c_str(), run)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

BENCHMARK_CAPTURE(sweep, whole_grid, whole_grid)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, one_gpu, one_gpu)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, in_stages, in_stages)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, one_load, one_load)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  add_engines("engine", whole_grid);
  add_engines("one_gpu", one_gpu);
  add_engines("one_load", one_load);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
