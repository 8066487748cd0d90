// The profile tables of a device file, row by row: time-sliced vGPU types, MIG instance profiles,
// vGPU types that a MIG instance backs, and the partitions of AMD GPUs.
#pragma once

#include "document/reader.hpp"
#include "domain/device.hpp"

namespace gpushape::profiles {

// Each reads one group into `device`, whose memory is already known. The groups come in this order,
// for a MIG-backed vGPU takes slices and memory of its instance.
void read_time_sliced(document::Reader& group, domain::Device& device);
void read_mig(document::Reader& group, domain::Device& device);
void read_mig_backed(document::Reader& group, domain::Device& device);
/// A partition is so many of the compute dies, with the same part of the memory.
void read_gpu_partitions(document::Reader& group, domain::Device& device);

}  // namespace gpushape::profiles
