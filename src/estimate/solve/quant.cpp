// The highest precision: the published vocabulary from what the checkpoint holds downwards, as far
// as the engine has kernels for it on this GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "estimate/solve/solvers.hpp"

namespace gpushape::estimate::solvers {

using domain::Estimate;
using domain::Origin;
using domain::Quantization;
using domain::SolveFor;
using domain::Workload;

namespace {

/// What an NVIDIA GPU must be for a kernel to exist. Source: vLLM 0.10 to 0.20,
/// model_executor/layers/quantization (get_min_capability of each method; the compressed-tensors
/// schemes), 8-bit floats from Ampere on as weight-only Marlin kernels.
struct Served {
  Quantization quantization;
  double least_capability;
  bool is_on_amd;
};
constexpr auto kServed = std::to_array<Served>({
    {Quantization::Fp32, 0, true},
    {Quantization::Bf16, 8.0, true},
    {Quantization::Fp16, 0, true},
    {Quantization::Fp8, 8.0, true},
    {Quantization::Fp8Channel, 8.0, true},
    {Quantization::Fp8Block, 8.0, true},
    {Quantization::Mxfp8, 10.0, false},
    {Quantization::Int8, 7.5, true},
    {Quantization::Int8Weight, 7.5, false},
    {Quantization::Int4, 7.5, false},
    {Quantization::Int4Act8, 9.0, false},
    {Quantization::GptqInt8, 6.0, true},
    {Quantization::GptqInt4, 6.0, true},
    {Quantization::GptqInt3, 6.0, true},
    {Quantization::GptqInt2, 6.0, true},
    {Quantization::Awq, 7.5, true},
    {Quantization::BnbInt8, 7.0, false},
    {Quantization::BnbNf4, 7.0, false},
    {Quantization::BnbNf4Double, 7.0, false},
    {Quantization::Mxfp4, 8.0, true},
    {Quantization::Nvfp4, 7.5, false},
});

// These two read GGUF files, and nothing else; the others none in earnest.
constexpr std::array<std::string_view, 2> kGgufEngines = {"llama-cpp", "ollama"};

bool is_gguf(Quantization quantization) { return quantization >= Quantization::Q1_0; }

/// Bits that one weight takes, its part of the scales included.
double bits_of(const domain::WeightScheme& scheme) {
  double bits = scheme.weight_bits;
  if (scheme.granularity == domain::ScaleGranularity::Group && scheme.group > 0)
    bits += static_cast<double>(scheme.scale_bits + scheme.zero_bits) / scheme.group;
  return bits;
}

double capability_of(const domain::VisibleMemory& gpu) {
  double capability = 0;
  const std::string& text = gpu.compute_capability;
  std::from_chars(text.data(), text.data() + text.size(), capability);
  return capability;
}

bool is_served(Quantization quantization, const SolveRequest& request) {
  const bool reads_gguf =
      std::ranges::find(kGgufEngines, request.engine->name) != kGgufEngines.end();
  if (reads_gguf)
    return is_gguf(quantization) || quantization == Quantization::Bf16 ||
           quantization == Quantization::Fp16;
  const auto row = std::ranges::find(kServed, quantization, &Served::quantization);
  if (row == kServed.end()) return false;
  if (request.gpu.vendor == "amd") return row->is_on_amd;
  const double capability = capability_of(request.gpu);
  return capability == 0 || capability >= row->least_capability;
}

/// From the checkpoint's own down; of equal bits, in the order of the vocabulary.
std::vector<Quantization> ladder_of(const SolveRequest& request) {
  const domain::WeightFormat& stored = request.model->weights;
  const double most = bits_of(domain::scheme(stored.linear));
  const Quantization other_16_bits =
      stored.linear == Quantization::Fp16 ? Quantization::Bf16 : Quantization::Fp16;
  std::vector<Quantization> ladder;
  for (const domain::WeightScheme& scheme : domain::kWeightSchemes) {
    const Quantization here = scheme.quantization;
    if (bits_of(scheme) > most || !is_served(here, request)) continue;
    // The two 16-bit types take the same; the other one stands in where a GPU lacks the first.
    if (here == other_16_bits && is_served(stored.linear, request)) continue;
    ladder.push_back(here);
  }
  std::ranges::stable_sort(ladder, std::greater<>(), [](Quantization quantization) {
    return bits_of(domain::scheme(quantization));
  });
  return ladder;
}

}  // namespace

Result<Estimate> solve_quant(const SolveRequest& request) {
  const std::vector<Quantization> ladder = ladder_of(request);
  if (ladder.empty()) {
    return failure(
        fmt::format("--solve quant: {} has no kernels on this GPU for what {} is stored as",
                    request.engine->name, request.model->id));
  }
  Workload workload = request.workload;
  Binding binding{"checkpoint", "it is what the checkpoint holds"};
  std::optional<Estimate> last;
  for (const Quantization quantization : ladder) {
    workload.quantization = {quantization, Origin::Computed, "--solve quant"};
    Result<Estimate> estimate = estimated(request, workload);
    if (!estimate) return estimate;
    if (fits(*estimate)) {
      estimate->solution = domain::Solution{.variable = SolveFor::Quant,
                                            .value = std::string(name_of(quantization)),
                                            .binding_term = binding.term,
                                            .says = binding.says};
      return estimate;
    }
    binding = binding_of(*estimate);
    binding.says = fmt::format("with {}, {}", name_of(quantization), binding.says);
    last = *std::move(estimate);
  }
  last->solution = domain::Solution{
      .variable = SolveFor::Quant, .value = {}, .binding_term = binding.term, .says = binding.says};
  return *std::move(last);
}

}  // namespace gpushape::estimate::solvers
