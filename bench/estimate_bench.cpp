// How long one estimate takes, words and all, for models of few and of many layers.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>

#include "catalog/catalog.hpp"
#include "domain/estimate.hpp"
#include "estimate/estimate_memory.hpp"

namespace {

using gpushape::catalog::Catalog;
namespace domain = gpushape::domain;

domain::VisibleMemory h100() {
  domain::VisibleMemory gpu;
  gpu.device = "h100-sxm-80";
  gpu.bytes = domain::exactly(gpushape::gib_of(79.19));
  gpu.parent_bytes = gpu.bytes.expected;
  gpu.vendor = "nvidia";
  gpu.product_name = "NVIDIA H100 80GB HBM3";
  gpu.compute_capability = "9.0";
  gpu.multiprocessors = 132;
  return gpu;
}

template <class T>
domain::Fact<T> flag(T value) {
  return {value, domain::Origin::Flag, "bench"};
}

void estimate_one(benchmark::State& state, const std::string& name, std::int64_t tensor) {
  const auto catalog = Catalog::open();
  const auto model = catalog->find(name);
  const auto engine = catalog->engine("vllm");
  if (!model || !engine) {
    state.SkipWithError("the catalog lacks the model or the engine");
    return;
  }
  domain::Workload workload;
  workload.context_tokens = flag<std::int64_t>(8192);
  workload.concurrency = flag<std::int64_t>(32);
  workload.engine.tensor = flag(tensor);
  const std::optional<domain::VisibleMemory> gpu = h100();
  for (auto _ : state) {
    benchmark::DoNotOptimize(gpushape::estimate::estimate_memory(*model, workload, *engine, gpu));
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

BENCHMARK_CAPTURE(estimate_one, llama_8b, "meta-llama/Llama-3.1-8B-Instruct", 1);
BENCHMARK_CAPTURE(estimate_one, llama_70b_on_4, "meta-llama/Llama-3.1-70B-Instruct", 4);
BENCHMARK_CAPTURE(estimate_one, deepseek_v3_on_8, "deepseek-ai/DeepSeek-V3", 8);
BENCHMARK_CAPTURE(estimate_one, gemma_3_27b, "google/gemma-3-27b-it", 1);

BENCHMARK_MAIN();
