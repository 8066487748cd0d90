// How long the head of a large weight file takes: a safetensors header of 10 MB, an index of
// 100'000 tensors, a GGUF file of a mixture. The bar is 0.4 s and 128 MiB.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/safetensors.hpp"
#include "catalog/stored_weights.hpp"

namespace {

using namespace gpushape::catalog;

constexpr int kExperts = 256;
constexpr int kRows = 7;  // tensors of an expert: three weights with a scale each, and one more

// As a mixture of experts in fp8 has them: 60 layers of 256 experts.
std::string tensor_name(int i) {
  const int layer = i / (kExperts * kRows);
  const int expert = i / kRows % kExperts;
  constexpr std::array<std::string_view, kRows> kNames = {
      "gate_proj.weight",         "gate_proj.weight_scale_inv", "up_proj.weight",
      "up_proj.weight_scale_inv", "down_proj.weight",           "down_proj.weight_scale_inv",
      "down_proj.input_scale"};
  return fmt::format("model.layers.{}.mlp.experts.{}.{}", layer, expert,
                     kNames.at(static_cast<std::size_t>(i % kRows)));
}

std::string header_of(std::size_t bytes) {
  std::string json = R"({"__metadata__": {"format": "pt"})";
  constexpr std::int64_t kTensorBytes = 2048LL * 7168;
  std::int64_t at = 0;
  for (int i = 0; json.size() < bytes; ++i) {
    json += fmt::format(
        R"(, "{}": {{"dtype": "F8_E4M3", "shape": [2048, 7168], "data_offsets": [{}, {}]}})",
        tensor_name(i), at, at + kTensorBytes);
    at += kTensorBytes;
  }
  return json + "}";
}

std::string index_of(int tensors) {
  std::string json = R"({"metadata": {"total_size": 688586727753}, "weight_map": {)";
  for (int i = 0; i < tensors; ++i) {
    json += fmt::format("{}\n    \"{}\": \"model-{:05}-of-00163.safetensors\"", i == 0 ? "" : ",",
                        tensor_name(i), i / 620 + 1);
  }
  return json + "}}";
}

void show_memory(benchmark::State& state) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void read_header(benchmark::State& state) {
  const std::string json = header_of(10'000'000);
  for (auto _ : state) {
    const auto listing = read_safetensors_header(json, UINT64_MAX, "bench.safetensors");
    if (!listing) {
      state.SkipWithError(listing.error().front().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(sorted_parts(*listing));
  }
  show_memory(state);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
}

void read_index(benchmark::State& state) {
  const std::string json = index_of(100'000);
  for (auto _ : state) {
    const auto index = read_safetensors_index(json, "bench.json");
    if (!index) {
      state.SkipWithError(index.error().front().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(index->names.size());
  }
  show_memory(state);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
}

}  // namespace

BENCHMARK(read_header)->Unit(benchmark::kMillisecond);
BENCHMARK(read_index)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
