#include "calibrate/record_gpu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
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
    {"DGX Spark GB10", "gb10"},
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

/// Names that two sizes of memory share: what the sizes have in common is known all the same.
constexpr auto kOfTwoSizes = std::to_array<GpuLabel>({
    {"A100", "a100-sxm4-80"},
    {"NVIDIA A100", "a100-sxm4-80"},
    {"A100 SXM4", "a100-sxm4-80"},
    {"A100-SXM4", "a100-sxm4-80"},
    {"NVIDIA A100-SXM4", "a100-sxm4-80"},
    {"V100", "v100-sxm2-32"},
    {"Tesla V100", "v100-sxm2-32"},
});

constexpr auto kSharedMemory = std::to_array<std::string_view>({"gb10"});

constexpr std::string_view kDigits = "0123456789";

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " ,/;";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

/// Behind how many there are: "2x RTX 3090", "4 of 8x …", "8 x …", "8*…", "2\u00d7 …", "dual …".
std::string_view behind_count(std::string_view text) {
  constexpr auto kSigns = std::to_array<std::string_view>({" x ", "x ", "x-", "x", "*", "\u00d7"});
  const std::size_t digits = std::min(text.size(), text.find_first_not_of(kDigits));
  if (digits > 0 && digits <= 2) {
    const std::string_view rest = text.substr(digits);
    if (rest.starts_with(" of ")) return behind_count(rest.substr(4));
    for (const std::string_view sign : kSigns) {
      if (rest.starts_with(sign)) return rest.substr(sign.size());
    }
  }
  return text.starts_with("dual ") ? text.substr(5) : text;
}

/// A name without the memory that stands behind it, and that memory: "RTX 4090 24GB", "H100-80G",
/// "… 95.01 GiB". 0 where none stands there.
struct SizedName {
  std::string name;
  double gb = 0;
};
SizedName without_memory(std::string_view text) {
  for (const std::string_view unit : {"GiB", "GB", "gb", "G"}) {
    if (!text.ends_with(unit)) continue;
    std::string_view rest = text.substr(0, text.size() - unit.size());
    while (rest.ends_with(' ')) rest.remove_suffix(1);
    const std::size_t before = rest.find_last_not_of("0123456789.");
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    const bool is_apart = first > 0 && (rest[first - 1] == ' ' || rest[first - 1] == '-');
    if (first == rest.size() || !is_apart) continue;
    return {.name = trimmed(rest.substr(0, first - 1)),
            .gb = std::atof(std::string(rest.substr(first)).c_str())};
  }
  return {.name = std::string(text)};
}

/// A card of that name with another memory than its maker gives it is another card.
bool has_memory(const domain::Device& device, double gb) {
  constexpr double kRounding = 0.1;
  const auto nominal = static_cast<double>(device.nominal_gb);
  return gb == 0 || std::abs(gb - nominal) <= kRounding * nominal;
}

/// The memory that stands in brackets behind a name: "RTX 5090 (24463MiB)", "RTX 4070 (8GB
/// laptop)". 0 where none stands there.
double bracketed_gb(std::string_view label) {
  const std::size_t open = label.find('(');
  if (open == std::string_view::npos) return 0;
  const std::string inside(label.substr(open + 1));
  const std::size_t behind = inside.find_first_not_of("0123456789.");
  const std::size_t word = inside.find_first_not_of(' ', behind == std::string::npos ? 0 : behind);
  if (behind == 0 || behind == std::string::npos || word == std::string::npos) return 0;
  const std::string_view unit = std::string_view(inside).substr(word);
  constexpr double kMibOfGib = 1024;
  if (unit.starts_with("MiB")) return std::atof(inside.c_str()) / kMibOfGib;
  return unit.starts_with("GiB") || unit.starts_with("GB") ? std::atof(inside.c_str()) : 0;
}

std::optional<domain::Device> device_called(std::string label, const profiles::Profiles& profiles) {
  if (label.empty()) return std::nullopt;
  if (Result<domain::Device> device = profiles.find(label)) return *std::move(device);
  std::ranges::replace_if(
      label, [](char letter) { return letter == '-' || letter == '_'; }, ' ');
  if (Result<domain::Device> device = profiles.find(label)) return *std::move(device);
  return std::nullopt;
}

/// The guest of a vGPU sees the type as its GPU, "NVIDIA A40-48C". Types for graphics ("48Q") have
/// the memory of those for computing.
std::optional<domain::VisibleMemory> guest_memory(std::string_view label,
                                                  const profiles::Profiles& profiles) {
  std::string product(label);
  if (product.empty()) return std::nullopt;
  if (product.back() == 'Q') product.back() = 'C';
  const std::size_t dash = product.rfind('-');
  const bool is_type = product.back() == 'C' && dash != std::string::npos && dash > 0 &&
                       dash + 2 < product.size() &&
                       product.find_first_not_of("0123456789", dash + 1) == product.size() - 1;
  if (!is_type) return std::nullopt;
  const Result<std::vector<domain::Device>> devices = profiles.all();
  if (!devices) return std::nullopt;
  for (const domain::Device& device : *devices) {
    for (const domain::Profile& profile : device.profiles) {
      const bool is_it = product == domain::guest_product(profile) || product == profile.type;
      if (is_it && profile.technology != domain::Technology::Mig)
        return domain::visible_memory(device, &profile);
    }
  }
  return std::nullopt;
}

/// By a name of its own that the tables know ("L20", "NVIDIA_H200"), or by the name among the words
/// that a person writes around it: how many, how much memory, remarks in brackets, another name
/// behind a stroke or a comma.
std::optional<domain::VisibleMemory> named_memory(std::string_view label,
                                                  const profiles::Profiles& profiles) {
  const auto memory_of = [](const domain::Device& device) {
    return domain::visible_memory(device, nullptr);
  };
  if (const auto device = device_called(std::string(label), profiles)) return memory_of(*device);
  const std::string plain = trimmed(label.substr(0, label.find('(')));
  const std::string first = trimmed(std::string_view(plain).substr(0, plain.find_first_of("/,;")));
  for (const std::string& words : {plain, first}) {
    const std::string_view name = behind_count(words);
    if (const auto device = device_called(std::string(name), profiles)) return memory_of(*device);
    const SizedName sized = without_memory(name);
    const auto device = device_called(sized.name, profiles);
    if (device && has_memory(*device, sized.gb)) return memory_of(*device);
  }
  return std::nullopt;
}

/// Laptops' cards have the names of larger ones.
bool is_of_another_size(std::string_view label, const domain::VisibleMemory& gpu,
                        const profiles::Profiles& profiles) {
  if (gpu.device.empty() || !gpu.profile.empty()) return false;
  const Result<domain::Device> device = profiles.find(gpu.device);
  return device && !has_memory(*device, bracketed_gb(label));
}

/// Of 29 published starts on such cards that print the total, the four that speak of WSL have all
/// of it, and of the 25 others two.
domain::VisibleMemory under_its_system(domain::VisibleMemory gpu, const EngineStart& start) {
  if (!gpu.under_linux) return gpu;
  const Bytes most = gpu.bytes.high;
  gpu.bytes = start.is_under_wsl ? domain::Range{.low = most, .expected = most, .high = most}
                                 : *gpu.under_linux;
  gpu.under_linux.reset();
  return gpu;
}

}  // namespace

bool shares_memory(const domain::VisibleMemory& gpu) {
  return std::ranges::find(kSharedMemory, gpu.device) != kSharedMemory.end();
}

std::optional<domain::VisibleMemory> as_found(std::optional<domain::VisibleMemory> gpu,
                                              const EngineStart& start) {
  if (gpu) gpu = under_its_system(*std::move(gpu), start);
  if (gpu && start.free_gib) gpu->free_bytes = printed(*start.free_gib);
  return gpu;
}

RecordGpu gpu_of(const EngineStart& start, const profiles::Profiles& profiles) {
  RecordGpu gpu;
  if (const auto label = std::ranges::find(kGpuLabels, start.gpu, &GpuLabel::label);
      label != kGpuLabels.end()) {
    if (const Result<domain::Device> device = profiles.find(label->device))
      gpu.memory = domain::visible_memory(*device, nullptr);
  }
  if (!gpu.memory) gpu.memory = guest_memory(start.gpu, profiles);
  if (!gpu.memory) gpu.memory = named_memory(start.gpu, profiles);
  gpu.is_named = gpu.memory.has_value();
  if (gpu.memory) gpu.memory = under_its_system(*std::move(gpu.memory), start);
  if (gpu.memory && !start.gpu_total_gib && is_of_another_size(start.gpu, *gpu.memory, profiles))
    gpu.reason = "a card of that name with another memory, of which the total is not stated";
  if (gpu.memory && shares_memory(*gpu.memory))
    gpu.reason = "unified memory: the total holds the page cache";
  if (!gpu.memory && !start.gpu_total_gib) {
    if (const auto label = std::ranges::find(kOfTwoSizes, start.gpu, &GpuLabel::label);
        label != kOfTwoSizes.end()) {
      const Result<domain::Device> device = profiles.find(label->device);
      if (device) gpu.memory = domain::visible_memory(*device, nullptr);
      gpu.reason = "which size of the GPU it is is not stated";
    }
  }
  if (!start.gpu_total_gib) return gpu;
  if (!gpu.memory) {
    gpu.memory.emplace();
    gpu.memory->vendor = start.vendor;
  }
  const Bytes expected = gpu.memory->bytes.expected;
  gpu.memory->bytes = printed(*start.gpu_total_gib);
  // What a vGPU's manager keeps stays.
  if (gpu.memory->takeable_bytes && !gpu.memory->profile.empty())
    *gpu.memory->takeable_bytes += gpu.memory->bytes.expected - expected;
  gpu.memory->source = start.source;
  return gpu;
}

}  // namespace gpushape::calibrate
