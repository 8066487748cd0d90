#include "advise/capability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "advise/candidates.hpp"

namespace gpushape::advise {

using domain::Quantization;

namespace {

constexpr auto kCapabilities = std::to_array<CapabilityRow>({
    {"bf16", "16-bit brain floats in hardware",
     [](const Wish& wish) { return wish.device.supports_bf16; }},
    {"fp8", "8-bit floats in hardware", [](const Wish& wish) { return wish.device.supports_fp8; }},
    {"fp4", "4-bit floats in hardware", [](const Wish& wish) { return wish.device.supports_fp4; }},
    {"int8", "8-bit integers in hardware",
     [](const Wish& wish) { return wish.device.supports_int8; }},
    {"nvlink", "NVLink to a second GPU of its host",
     [](const Wish& wish) { return link_domain_size(wish) > 1; }},
    {"mig", "MIG instances", [](const Wish& wish) { return wish.device.supports_mig; }},
    {"nvswitch", "an NVSwitch between all GPUs of its host",
     [](const Wish& wish) {
       return !wish.device.boards.empty() && wish.device.boards.front().interconnect == "nvswitch";
     }},
    {"vgpu", "vGPU profiles", [](const Wish& wish) { return wish.device.supports_time_sliced; }},
    {"mixed-size", "vGPUs of several sizes side by side",
     [](const Wish& wish) { return wish.device.supports_mixed_size; }},
    {"hbm", "high-bandwidth memory",
     [](const Wish& wish) { return wish.device.high_bandwidth_memory; }},
    {"nvidia", "CUDA", [](const Wish& wish) { return wish.device.vendor == "nvidia"; }},
    {"amd", "ROCm", [](const Wish& wish) { return wish.device.vendor == "amd"; }},
});

/// "80gb": at least so much memory, as the names of devices count; nothing for another word.
std::optional<std::int64_t> wanted_gigabytes(std::string_view word) {
  if (!word.ends_with("gb")) return std::nullopt;
  std::int64_t count = 0;
  const char* const end = word.data() + word.size() - 2;
  const auto [rest, error] = std::from_chars(word.data(), end, count);
  constexpr std::int64_t kMostGigabytes = 1'000'000;
  if (error != std::errc() || rest != end || count < 1 || count > kMostGigabytes)
    return std::nullopt;
  return count;
}

/// "8.9"; 0 where it is not known.
double compute_capability(const domain::Device& device) {
  double value = 0;
  const std::string& text = device.compute_capability;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<Quantization> format_of(const AdviceRequest& request) {
  if (request.workload.quantization) return request.workload.quantization->value;
  if (request.model) return request.model->weights.linear;
  return std::nullopt;
}

bool is_fp8(Quantization quantization) {
  return quantization == Quantization::Fp8 || quantization == Quantization::Fp8Channel ||
         quantization == Quantization::Fp8Block;
}

// vLLM quantization documentation, supported hardware: fp8 weights run weight-only from 8.0 on.
constexpr double kFp8Weights = 8.0;

}  // namespace

std::span<const CapabilityRow> capabilities() { return kCapabilities; }

bool is_capability(std::string_view word) {
  return wanted_gigabytes(word) ||
         std::ranges::find(kCapabilities, word, &CapabilityRow::name) != kCapabilities.end();
}

std::string lacking(std::string_view word, const Wish& wish) {
  if (const auto wanted = wanted_gigabytes(word)) {
    if (wish.device.nominal_gb >= *wanted) return {};
    return fmt::format("{} GB of memory: it has {}", *wanted, wish.device.nominal_gb);
  }
  const auto* row = std::ranges::find(kCapabilities, word, &CapabilityRow::name);
  if (row == kCapabilities.end() || row->is_there(wish)) return {};
  return std::string(row->description);
}

std::optional<domain::Reason> missing_capability(const AdviceRequest& request, const Wish& wish) {
  for (const std::string& required : request.workload.requires_) {
    if (const std::string lacks = lacking(required, wish); !lacks.empty()) {
      return domain::Reason{"capability", fmt::format("{} is required: {} has no {}", required,
                                                      wish.device.id, lacks)};
    }
  }
  const std::optional<Quantization> format = format_of(request);
  if (!format || wish.device.vendor != "nvidia") return std::nullopt;
  // vLLM refuses bfloat16 below compute capability 8.0 (platforms/cuda.py,
  // check_if_supports_dtype).
  if (*format == Quantization::Bf16 && !wish.device.supports_bf16) {
    return domain::Reason{"capability",
                          fmt::format("{} has no bf16: take --quant fp16", wish.device.id)};
  }
  const double capability = compute_capability(wish.device);
  if (is_fp8(*format) && capability > 0 && capability < kFp8Weights) {
    return domain::Reason{"capability",
                          fmt::format("fp8 weights need compute capability 8.0, {} has {}",
                                      wish.device.id, wish.device.compute_capability)};
  }
  return std::nullopt;
}

std::optional<domain::Reason> emulated_format(const AdviceRequest& request, const Wish& wish) {
  const std::optional<Quantization> format = format_of(request);
  if (!format || !is_fp8(*format) || wish.device.supports_fp8) return std::nullopt;
  return domain::Reason{
      "capability",
      fmt::format("fp8 is weight-only on {}: it saves memory, not arithmetic", wish.device.id)};
}

}  // namespace gpushape::advise
