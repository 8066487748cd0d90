// What nvidia-smi prints of a host's GPUs, as far as a profile table can use it: totals, MIG
// profiles and their places, vGPU types. One reader per form; each keeps the place of every figure.
//
//   nvidia-smi -q -x           products, totals, PCI ids      nvsmi_device_v11.dtd to v13
//   nvidia-smi mig -lgip       MIG profiles, GiB to two decimals
//   nvidia-smi mig -lgipp      their legal starts
//   nvidia-smi vgpu -s -v      vGPU types
//
// The last three are text for people; several of them may stand in one file, one behind the other,
// with prompts between them. Any bytes are allowed: what is not one of these lines is passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace gpushape::profiles {

/// A row of `mig -lgip`.
struct PrintedInstance {
  std::string name;  ///< "1g.10gb+me"
  std::int64_t id = 0;
  std::int64_t most = 0;  ///< of "Free/Total"
  double gib = 0;         ///< two decimals
  std::int64_t multiprocessors = 0;
  SourceSpan span;
};

/// A line of `mig -lgipp`.
struct PrintedPlaces {
  std::int64_t id = 0;  ///< of the profile
  std::vector<std::int64_t> starts;
  std::int64_t size = 0;
  SourceSpan span;
};

/// A block of `vgpu -s -v`.
struct PrintedType {
  std::string brand;  ///< "NVIDIA" or "GRID"
  std::string type;   ///< without the brand, "A100X-40C"
  bool is_compute = false;
  std::optional<std::int64_t> frame_buffer_mib;
  std::optional<std::int64_t> most;          ///< of one GPU
  std::optional<std::int64_t> per_instance;  ///< of one MIG instance
  std::optional<std::int64_t> instance_id;   ///< the MIG profile that backs it
  SourceSpan span;
};

/// A MIG instance that exists, as `-q -x` shows it.
struct PrintedSlice {
  std::int64_t mib = 0;
  std::int64_t multiprocessors = 0;
  SourceSpan span;
};

struct PrintedGpu {
  std::string file;
  int index = -1;       ///< as nvidia-smi counts; -1 where only the address is told
  std::string address;  ///< "00000000:41:00.0"; empty where only the index is told
  std::string product;  ///< empty where the form does not name it
  std::string architecture;
  std::string driver;
  std::string pci_device;   ///< hex, lower case
  bool is_guest = false;    ///< a vGPU, seen from inside the VM
  bool is_divided = false;  ///< in MIG mode
  std::optional<std::int64_t> total_mib;
  std::optional<std::int64_t> bar1_mib;
  std::optional<std::int64_t> watts;
  SourceSpan span;
  SourceSpan total_span;
  std::vector<PrintedSlice> slices;
  std::vector<PrintedInstance> instances;
  std::vector<PrintedPlaces> places;
  std::vector<PrintedType> types;
};

/// The GPUs of `-q -x`, in its order, which is that of the indices.
Result<std::vector<PrintedGpu>> read_printed_xml(std::string_view text, const std::string& file);

/// The GPUs of the three listings, in the order in which they first appear. A text without any of
/// their lines is refused.
Result<std::vector<PrintedGpu>> read_printed_listing(std::string_view text,
                                                     const std::string& file);

}  // namespace gpushape::profiles
