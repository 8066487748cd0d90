#include "calibrate/record_gpu.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/prediction.hpp"
#include "domain/profile_memory.hpp"

namespace gpushape::calibrate {
namespace {

/// How the records name a GPU, and which device of the tables it is.
struct GpuLabel {
  std::string_view label;
  std::string_view device;
};
constexpr auto kGpuLabels = std::to_array<GpuLabel>({
    {"H100 80GB (SXM)", "h100-sxm-80"},
    {"H100-80GB", "h100-sxm-80"},
    {"H100", "h100-sxm-80"},
    {"H200", "h200-sxm-141"},
    {"H20", "h20-sxm-96"},
    {"B200", "b200-sxm-180"},
    {"A100-80GB", "a100-sxm4-80"},
    {"A100-80", "a100-sxm4-80"},
    {"A100-40GB", "a100-sxm4-40"},
    {"GB10", "gb10"},
    {"L40S", "l40s"},
    {"L4", "l4"},
    {"T4", "t4"},
    {"A40", "a40"},
    {"A10", "a10"},
    {"A6000", "rtx-a6000"},
    {"V100-32GB", "v100-sxm2-32"},
    {"V100-32", "v100-sxm2-32"},
    {"A5000", "rtx-a5000"},
});

/// By a name of its own that the tables know: "L20", "RTX-PRO-6000", "NVIDIA_H200".
std::optional<domain::VisibleMemory> named_memory(std::string label,
                                                  const profiles::Profiles& profiles) {
  if (label.empty()) return std::nullopt;
  Result<domain::Device> device = profiles.find(label);
  if (!device) {
    std::ranges::replace_if(label, [](char letter) { return letter == '-' || letter == '_'; }, ' ');
    device = profiles.find(label);
  }
  if (!device) return std::nullopt;
  return domain::visible_memory(*device, nullptr);
}

}  // namespace

RecordGpu gpu_of(const EngineStart& start, const profiles::Profiles& profiles) {
  RecordGpu gpu;
  if (start.gpu == "GB10") gpu.reason = "unified memory: the total holds the page cache";
  if (const auto label = std::ranges::find(kGpuLabels, start.gpu, &GpuLabel::label);
      label != kGpuLabels.end()) {
    if (const Result<domain::Device> device = profiles.find(label->device))
      gpu.memory = domain::visible_memory(*device, nullptr);
  }
  if (!gpu.memory) gpu.memory = named_memory(start.gpu, profiles);
  gpu.is_named = gpu.memory.has_value();
  if (!start.gpu_total_gib) return gpu;
  if (!gpu.memory) {
    gpu.memory.emplace();
    gpu.memory->vendor = start.vendor;
  }
  gpu.memory->bytes = printed(*start.gpu_total_gib);
  gpu.memory->source = start.source;
  return gpu;
}

}  // namespace gpushape::calibrate
