#include "review/gpu_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace gpushape::review {

namespace {

struct ShortName {
  std::string_view name;  ///< in lower case, without the vendor
  std::string_view device;
};

/// SkyPilot's catalog (`sky show-gpus`), Ray's ray.util.accelerators, resource profiles of kubeai's
/// chart, dstack's `gpu`. A bare A100 has 40 GB in SkyPilot's catalog alone, so that its reader
/// says so.
constexpr auto kShortNames = std::to_array<ShortName>({
    {"t4", "t4"},
    {"l4", "l4"},
    {"l40", "l40"},
    {"l40s", "l40s"},
    {"a10", "a10"},
    {"a10g", "a10g"},
    {"a40", "a40"},
    {"a100-40g", "a100-sxm4-40"},
    {"a100-40gb", "a100-sxm4-40"},
    {"a100-80g", "a100-sxm4-80"},
    {"a100-80gb", "a100-sxm4-80"},
    {"a100-80gb-sxm", "a100-sxm4-80"},
    {"a6000", "rtx-a6000"},
    {"rtxa6000", "rtx-a6000"},
    {"rtx6000-ada", "rtx-6000-ada"},
    {"rtx3090", "rtx-3090"},
    {"rtx4090", "rtx-4090"},
    {"rtx5090", "rtx-5090"},
    {"h100", "h100-sxm-80"},
    {"h100-80gb", "h100-sxm-80"},
    {"h100-sxm", "h100-sxm-80"},
    {"h100-mega-80gb", "h100-sxm-80"},
    {"h200", "h200-sxm-141"},
    {"h200-sxm", "h200-sxm-141"},
    {"h200-141gb", "h200-sxm-141"},
    {"b200", "b200-sxm-180"},
    {"b300", "b300-sxm-288"},
    {"gh200", "gh200-96"},
    {"gb200", "gb200-186"},
    {"v100-32gb", "v100-sxm2-32"},
    {"v100", "v100-sxm2-16"},
    {"mi300x", "mi300x"},
});

std::string plain_name(std::string_view text) {
  std::string name(text);
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  for (const std::string_view prefix : {"nvidia-", "amd-", "gpu-", "tesla-"}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  return name;
}

}  // namespace

const domain::Device* device_of_short_name(std::string_view name,
                                           std::span<const domain::Device> devices) {
  const auto row = std::ranges::find(kShortNames, plain_name(name), &ShortName::name);
  if (row == kShortNames.end()) return nullptr;
  const auto device = std::ranges::find(devices, row->device, &domain::Device::id);
  return device == devices.end() ? nullptr : &*device;
}

}  // namespace gpushape::review
