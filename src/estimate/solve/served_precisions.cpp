#include "estimate/solve/served_precisions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>

#include "domain/quantization.hpp"

namespace gpushape::estimate::solvers {
namespace {

using domain::KvCacheType;
using domain::Quantization;

/// Rows of one step hold weights of about the same bits: the first that the GPU has kernels for
/// stands for them all.
struct Served {
  int step;
  Quantization quantization;
  double least_capability;  ///< of an NVIDIA GPU
  bool is_on_amd = false;
};

// Least capabilities: vLLM 0.10 to 0.20, model_executor/layers/quantization (get_min_capability;
// 8-bit floats from Ampere on as weight-only Marlin kernels, 4-bit floats in earnest from Blackwell
// on). Below four bits hardly anybody serves: there are kernels, and next to no checkpoints.
constexpr auto kServers = std::to_array<Served>({
    {0, Quantization::Bf16, 8.0, true},
    {0, Quantization::Fp16, 0, true},
    {1, Quantization::Fp8, 8.0, true},
    {1, Quantization::Int8, 7.5},
    {1, Quantization::GptqInt8, 6.0},
    {2, Quantization::Nvfp4, 10.0},
    {2, Quantization::Awq, 7.5, true},
    {2, Quantization::GptqInt4, 6.0, true},
});
// TensorRT-LLM docs, reference/support-matrix: FP8 from Ada on, NVFP4 on Blackwell, W4A16 AWQ.
constexpr auto kTensorRt = std::to_array<Served>({
    {0, Quantization::Bf16, 8.0},
    {0, Quantization::Fp16, 0},
    {1, Quantization::Fp8, 8.9},
    {1, Quantization::Int8, 8.0},
    {2, Quantization::Nvfp4, 10.0},
    {2, Quantization::Awq, 8.0},
});
constexpr auto kTransformers = std::to_array<Served>({
    {0, Quantization::Bf16, 8.0, true},
    {0, Quantization::Fp16, 0, true},
    {1, Quantization::BnbInt8, 7.5},
    {2, Quantization::BnbNf4, 6.0, true},
});
// What publishers of GGUF files offer of nearly every model, and what their pages advise.
constexpr auto kFiles = std::to_array<Served>({
    {0, Quantization::Bf16, 0, true},
    {1, Quantization::Q8_0, 0, true},
    {2, Quantization::Q6K, 0, true},
    {3, Quantization::MixQ5KM, 0, true},
    {4, Quantization::MixQ4KM, 0, true},
    {5, Quantization::Iq4Xs, 0, true},
    {6, Quantization::MixQ3KM, 0, true},
    {7, Quantization::MixIq3M, 0, true},
    {8, Quantization::MixIq2M, 0, true},
});

bool reads_files(std::string_view engine) { return engine == "llama.cpp" || engine == "ollama"; }

std::span<const Served> rows_of(std::string_view engine) {
  if (reads_files(engine)) return kFiles;
  if (engine == "tensorrt-llm") return kTensorRt;
  if (engine == "transformers") return kTransformers;
  return kServers;
}

double capability_of(const domain::VisibleMemory& gpu) {
  double capability = 0;
  const std::string& text = gpu.compute_capability;
  std::from_chars(text.data(), text.data() + text.size(), capability);
  return capability;
}

bool is_served(const Served& row, const domain::VisibleMemory& gpu) {
  if (gpu.vendor == "amd") return row.is_on_amd;
  const double capability = capability_of(gpu);
  return capability == 0 || capability >= row.least_capability;
}

/// Bits that one weight takes, its part of the scales included.
double bits_of(Quantization quantization) {
  const domain::WeightScheme scheme = domain::scheme(quantization);
  double bits = scheme.weight_bits;
  if (scheme.granularity == domain::ScaleGranularity::Group && scheme.group > 0)
    bits += static_cast<double>(scheme.scale_bits + scheme.zero_bits) / scheme.group;
  return bits;
}

bool is_file_type(Quantization quantization) { return quantization >= Quantization::Q1_0; }

bool is_plain(Quantization quantization) {
  return domain::scheme(quantization).granularity == domain::ScaleGranularity::None;
}

}  // namespace

std::vector<std::optional<Quantization>> served_precisions(const domain::Model& model,
                                                           std::string_view engine,
                                                           const domain::VisibleMemory& gpu) {
  const std::span<const Served> rows = rows_of(engine);
  Quantization stored = model.weights.linear;
  // A checkpoint becomes a file of 16 bits, or of its own 4-bit floats.
  const bool is_converted =
      reads_files(engine) && !is_file_type(stored) && stored != Quantization::Mxfp4;
  if (is_converted) stored = Quantization::Bf16;
  const auto of_stored = std::ranges::find(rows, stored, &Served::quantization);
  const bool is_readable = (reads_files(engine) || !is_file_type(stored)) &&
                           (of_stored == rows.end() || is_served(*of_stored, gpu));
  std::vector<std::optional<Quantization>> ladder;
  if (is_readable) ladder.emplace_back(std::nullopt);
  const double most = bits_of(stored);
  int step = is_readable && is_plain(stored) ? 0 : -1;
  for (const Served& row : rows) {
    const bool is_below =
        bits_of(row.quantization) < most || (!is_readable && bits_of(row.quantization) <= most);
    if (row.step <= step || !is_below || !is_served(row, gpu)) continue;
    ladder.emplace_back(row.quantization);
    step = row.step;
  }
  return ladder;
}

// vLLM docs, features/quantization/quantized_kvcache, SGLang docs, quantized_kv_cache, TensorRT-LLM
// docs, FP8 KV cache: 8-bit floats where there is hardware for them. llama.cpp tools/server:
// --cache-type-k and -v.
std::vector<KvCacheType> smaller_caches(std::string_view engine, const domain::VisibleMemory& gpu) {
  if (reads_files(engine)) return {KvCacheType::Q8_0, KvCacheType::Q4_0};
  if (engine == "transformers" || engine == "pytorch") return {};
  constexpr double kAda = 8.9;
  const double capability = capability_of(gpu);
  const bool has_floats = gpu.vendor == "amd" || capability == 0 || capability >= kAda;
  return has_floats ? std::vector{KvCacheType::Fp8} : std::vector<KvCacheType>{};
}

}  // namespace gpushape::estimate::solvers
