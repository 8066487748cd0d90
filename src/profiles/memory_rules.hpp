// How much memory a device or a share really offers, where the tables give only a size: the
// reservation of a vGPU, and the totals of devices and MIG instances that no log shows.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "domain/range.hpp"

namespace gpushape::profiles {

inline constexpr std::string_view kReservationSource =
    "frame buffer less what NVIDIA AI Enterprise documents as reserved: 1/16 + 16 MiB + 1/16 where "
    "ECC takes memory + 128 MiB / most vGPUs of a GPU + compression on Turing";
inline constexpr std::string_view kInstanceSource =
    "memory of the MIG instance as nvidia-smi lists it; processes inside were seen with 0.98 to "
    "1.012 of it";
inline constexpr std::string_view kPartitionSource =
    "rule: the device's total over the number of partitions, whatever the memory mode "
    "(amdgpu_amdkfd_xcp_memory_size in the Linux driver)";
inline constexpr std::string_view kInstanceRuleSource =
    "rule: share of the memory slices, times the least fraction that published instances of that "
    "size keep (0.86 of an eighth, 0.91 of a quarter, 0.96 above)";
inline constexpr std::string_view kVisibleOfNvmlSource =
    "rule: 0.970 to 0.997 of the NVML total, as start-up logs of T4, L4, L40S, A100, H100 and H200 "
    "show";
inline constexpr std::string_view kVisibleOfNominalSource =
    "rule: the NVML total is 0.932 to 1 of the nominal GiB (15/16 with ECC), the CUDA total 0.970 "
    "to 0.997 of that";

/// What a vGPU of this frame buffer gives its guest to use.
struct FrameBuffer {
  Bytes bytes;
  std::int64_t max_per_gpu = 1;
  bool ecc_takes_memory = false;
  Bytes compression_bytes;  ///< Turing types of 12 GiB and more
};

/// Frame buffer that the vGPU manager keeps (NVIDIA AI Enterprise 5.1 user guide, "total frame
/// buffer for vGPUs is less than the total frame buffer on the physical GPU").
Bytes reserved_bytes(const FrameBuffer& frame_buffer);

/// The total that CUDA reports in the guest: the whole frame buffer (an A100-20C guest shows 20476
/// of 20480 MiB) less what ECC takes on the board, for the types of a GPU share no more than the
/// board has. At worst the same part less that CUDA sees of a physical GPU's total.
domain::Range guest_visible_bytes(const FrameBuffer& frame_buffer);

/// The total that CUDA reports inside a MIG instance of this listed size.
domain::Range instance_visible_bytes(Bytes listed);

/// Size of a MIG instance that no source lists, at the low end.
Bytes least_instance_bytes(Bytes device_total, std::int64_t slices, std::int64_t of_slices);

domain::Range visible_of_nvml(Bytes nvml);
domain::Range visible_of_nominal(std::int64_t nominal_gb, bool ecc_takes_memory);

}  // namespace gpushape::profiles
