#include "profiles/memory_rules.hpp"

#include <algorithm>

namespace gpushape::profiles {
namespace {

// CUDA total / NVML total. Lowest: T4 with 14.56 of 15 GiB; usual: L40S 44.52 of 44.99; highest:
// H200 139.80 of 140.40 GiB, rounded up.
constexpr std::int64_t kLeastVisiblePerMille = 970;
constexpr std::int64_t kUsualVisiblePerMille = 989;
constexpr std::int64_t kMostVisiblePerMille = 997;

// NVML total / nominal GiB. Lowest: B300 with 275040 MiB of 288 GiB; usual without ECC loss: H100
// 81559 MiB of 80 GiB. ECC on GDDR keeps one sixteenth: T4 15360 of 16384 MiB.
constexpr std::int64_t kLeastNvmlPerMille = 932;
constexpr std::int64_t kUsualNvmlPerMille = 995;
constexpr std::int64_t kEccNvmlPerMille = 937;

// Inside a MIG instance against what "nvidia-smi mig -lgip" lists. Lowest: RTX PRO 6000 on a vGPU
// host, 23.12 of 23.62 GiB; highest: H100 NVL, 10.75 of 10.62.
constexpr std::int64_t kLeastInstancePerMille = 978;
constexpr std::int64_t kMostInstancePerMille = 1013;

// Least share that a listed instance keeps of its slices' memory: GB200 1g 20.00 of 23.13 GiB, H100
// NVL 2g 22016 of 23957 MiB, GH200 3g 47616 of 48936 MiB, each rounded down.
constexpr std::int64_t kEighthKeepsPerMille = 860;
constexpr std::int64_t kQuarterKeepsPerMille = 910;
constexpr std::int64_t kHalfKeepsPerMille = 960;

Bytes per_mille(Bytes bytes, std::int64_t fraction) { return bytes * fraction / 1000; }

}  // namespace

Bytes reserved_bytes(const FrameBuffer& frame_buffer) {
  const Bytes sixteenth = frame_buffer.bytes / 16;
  const Bytes ecc = frame_buffer.ecc_takes_memory ? sixteenth : Bytes();
  return sixteenth + mib(16) + ecc + mib(128) / frame_buffer.max_per_gpu +
         frame_buffer.compression_bytes;
}

domain::Range guest_visible_bytes(const FrameBuffer& frame_buffer) {
  const Bytes ecc = frame_buffer.ecc_takes_memory ? frame_buffer.bytes / 16 : Bytes();
  const Bytes total = frame_buffer.bytes - ecc;
  return {per_mille(total, kUsualVisiblePerMille), total, total};
}

domain::Range instance_visible_bytes(Bytes listed) {
  return {per_mille(listed, kLeastInstancePerMille), listed,
          per_mille(listed, kMostInstancePerMille)};
}

Bytes least_instance_bytes(Bytes device_total, std::int64_t slices, std::int64_t of_slices) {
  const Bytes share = device_total * slices / of_slices;
  if (slices * 8 <= of_slices) return per_mille(share, kEighthKeepsPerMille);
  if (slices * 4 <= of_slices) return per_mille(share, kQuarterKeepsPerMille);
  return per_mille(share, kHalfKeepsPerMille);
}

domain::Range visible_of_nvml(Bytes nvml) {
  return {per_mille(nvml, kLeastVisiblePerMille), per_mille(nvml, kUsualVisiblePerMille),
          per_mille(nvml, kMostVisiblePerMille)};
}

domain::Range visible_of_nominal(std::int64_t nominal_gb, bool ecc_takes_memory) {
  const Bytes nominal = gib(nominal_gb);
  const auto nvml = [&](std::int64_t without_ecc) {
    return per_mille(nominal, ecc_takes_memory ? kEccNvmlPerMille : without_ecc);
  };
  return {per_mille(nvml(kLeastNvmlPerMille), kLeastVisiblePerMille),
          per_mille(nvml(kUsualNvmlPerMille), kUsualVisiblePerMille),
          per_mille(nvml(1000), kMostVisiblePerMille)};
}

}  // namespace gpushape::profiles
