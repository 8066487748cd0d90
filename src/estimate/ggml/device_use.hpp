// What a schedule does to the memory of each device: the blocks that are taken and given back, in
// order. None of it follows from how large the step is.
//
// A tensor has its block as long as somebody needs it; what is computed in place takes over the
// block of a source. Source: llama.cpp ggml/src/ggml-alloc.c (ggml_gallocr_alloc_graph_impl).
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/ggml/extent.hpp"
#include "estimate/ggml/schedule.hpp"

namespace gpushape::estimate::ggml {

struct BlockUse {
  std::int32_t block = 0;  ///< counted from 0 on each device
  std::int32_t size = 0;   ///< of the device's sizes
  bool is_taken = false;   ///< or given back

  bool operator==(const BlockUse&) const = default;
};

struct DeviceUse {
  std::vector<Extent> sizes;  ///< bytes; each once
  std::vector<BlockUse> uses;
  std::int32_t blocks = 0;

  bool operator==(const DeviceUse&) const = default;
};

/// One for each device, the host's last.
std::vector<DeviceUse> device_uses(const Schedule& schedule);

}  // namespace gpushape::estimate::ggml
